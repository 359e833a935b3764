import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { startLoopbackServer } from '../platform/loopback-server.ts';

/** An answer of the gateway to a request of the relay. */
export interface RelayedAnswer {
  status: number;
  retryAfter: string | null;
  text: string;
}

/** A tenant's server that answers each chat by calling the gateway again. */
export interface Relay {
  baseUrl: string;
  /** The number of requests that have arrived since the start. */
  hops: number;
  /** Resolves with the first error of the gateway. */
  refused: Promise<RelayedAnswer>;
  /** True: a request has arrived. It is refused before the start. */
  isKnown: boolean;
  /** Begins to call the gateway. */
  start(): void;
  close(): Promise<void>;
}

export interface RelayOptions {
  /** Further fields of the chats. */
  fields?: object;
  /** Selects the received headers that are sent to the gateway beside the key. Absent: none. */
  passOn?: (received: IncomingHttpHeaders) => Record<string, string>;
  /** The gateways that are called in turn. Absent: the gateway alone. */
  origins?: string[];
  /** Errors of the gateway are answered when this promise resolves. Absent: at once. */
  until?: Promise<void>;
  /** The relay fails the request after as many hops, so that a loop without limits ends. */
  maxHops: number;
}

/** Starts a relay that calls the gateway with a tenant's key. */
export async function startRelay(
  { origin, apiKey }: { origin: string; apiKey: string },
  { fields, passOn = () => ({}), origins = [origin], until, maxHops }: RelayOptions,
): Promise<Relay> {
  let isStarted = false;
  const refused = Promise.withResolvers<RelayedAnswer>();
  const callAgain = async (received: IncomingHttpHeaders): Promise<RelayedAnswer> => {
    const own = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const messages = [{ role: 'user', content: 'Hello there' }];
    const to = origins[relay.hops % origins.length]!;
    const answer = await fetch(`${to}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { ...passOn(received), ...own },
      body: JSON.stringify({ model: 'local/echo-1', messages, ...fields }),
    });
    return {
      status: answer.status,
      retryAfter: answer.headers.get('retry-after'),
      text: await answer.text(),
    };
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    request.resume();
    relay.isKnown = true;
    if (!isStarted) return void response.writeHead(400).end('{}');
    relay.hops += 1;
    const answer = relay.hops > maxHops ? TOO_MANY_HOPS : await callAgain(request.headers);
    if (answer.status >= 400) {
      refused.resolve(answer);
      await until;
    }
    response.setHeader('content-type', 'application/json');
    response.writeHead(answer.status).end(answer.text);
  };
  const server = await startLoopbackServer((request, response) => void serve(request, response));
  const relay: Relay = {
    baseUrl: `${server.origin}/v1`,
    hops: 0,
    refused: refused.promise,
    isKnown: false,
    start: () => (isStarted = true),
    close: server.close,
  };
  return relay;
}

const TOO_MANY_HOPS: RelayedAnswer = {
  status: 500,
  retryAfter: null,
  text: JSON.stringify({ error: { message: 'the relay made too many hops' } }),
};
