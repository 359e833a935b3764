import { Agent } from 'undici';

/** Clients that ask without pause, whoever answers, and note what they received whole. */
export interface ChatClients {
  /** Ids of generations whose answer a client has in full: the last byte of a success. */
  received: Set<string>;
  /** What went wrong with each request that was not answered whole. */
  failures: unknown[];
  stop(): Promise<void>;
}

export interface ChatClientsOptions {
  clients: number;
  /** Asked for each request: servers come and go. */
  origin(): string;
  apiKey: string;
}

const PAUSE_AFTER_FAILURE_MS = 50;

/** Every second one streams. */
export function startChatClients({ clients, origin, apiKey }: ChatClientsOptions): ChatClients {
  const received = new Set<string>();
  const failures: unknown[] = [];
  const dispatcher = new Agent({ connections: clients });
  const leaving = new AbortController();

  const ask = async (stream: boolean): Promise<void> => {
    const { statusCode, headers, body } = await dispatcher.request({
      origin: origin(),
      path: '/api/v1/chat/completions',
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'local/chat-canned',
        stream,
        messages: [{ role: 'user', content: 'Hello' }],
      }),
      signal: leaving.signal,
    });
    const text = await body.text();
    const isWhole =
      statusCode === 200 && !text.includes('"error"') && (!stream || text.endsWith('data: [DONE]\n\n'));
    if (isWhole) received.add(String(headers['x-generation-id']));
    else throw new Error(`${statusCode} ${text.slice(-500)}`);
  };
  const note = async (error: unknown): Promise<void> => {
    if (leaving.signal.aborted) return;
    failures.push(error);
    await pause();
  };
  const run = async (stream: boolean): Promise<void> => {
    while (!leaving.signal.aborted) await ask(stream).catch(note);
  };
  const all = Promise.all(Array.from({ length: clients }, (_, n) => run(n % 2 === 0)));
  return {
    received,
    failures,
    async stop() {
      leaving.abort();
      await all;
      await dispatcher.destroy();
    },
  };
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, PAUSE_AFTER_FAILURE_MS);
  });
}
