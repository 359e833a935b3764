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
  /** The clients take these in turn; a streamed and a whole chat when absent. */
  requests?: LiveRequest[];
  /** How long a client waits after each answer; not at all when absent. */
  pauseMs?: number;
}

export interface LiveRequest {
  path: string;
  body: { stream?: boolean; [field: string]: unknown };
}

const CHAT = { model: 'local/chat-canned', messages: [{ role: 'user', content: 'Hello' }] };

export const CHATS: LiveRequest[] = [true, false].map((stream) => ({
  path: '/chat/completions',
  body: { ...CHAT, stream },
}));

const PAUSE_AFTER_FAILURE_MS = 50;

export function startChatClients(options: ChatClientsOptions): ChatClients {
  const { clients, origin, apiKey, requests = CHATS, pauseMs = 0 } = options;
  const received = new Set<string>();
  const failures: unknown[] = [];
  const dispatcher = new Agent({ connections: clients });
  const leaving = new AbortController();

  const ask = async (request: LiveRequest): Promise<void> => {
    const { statusCode, headers, body } = await dispatcher.request({
      origin: origin(),
      path: `/api/v1${request.path}`,
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(request.body),
      signal: leaving.signal,
    });
    const text = await body.text();
    const isWhole =
      statusCode === 200 &&
      !text.includes('"error"') &&
      (request.body.stream !== true || text.endsWith('data: [DONE]\n\n'));
    if (isWhole) received.add(String(headers['x-generation-id']));
    else throw new Error(`${statusCode} ${text.slice(-500)}`);
  };
  const note = async (error: unknown): Promise<void> => {
    if (leaving.signal.aborted) return;
    failures.push(error);
    await pause(PAUSE_AFTER_FAILURE_MS);
  };
  const run = async (request: LiveRequest): Promise<void> => {
    while (!leaving.signal.aborted) {
      await ask(request).catch(note);
      if (pauseMs > 0) await pause(pauseMs);
    }
  };
  const all = Promise.all(Array.from({ length: clients }, (_, n) => run(requests[n % requests.length]!)));
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

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
