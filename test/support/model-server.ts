import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { startLoopbackServer } from '../platform/loopback-server.ts';
import { eventually } from './eventually.ts';

/** What a request of the checks asks for. `parameters` has more fields than the first one. */
export type ModelCall = 'whole' | 'stream' | 'parameters' | 'embeddings' | 'message';

export interface ReceivedCall {
  call: ModelCall;
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

/** Answers in place of the server. One that does nothing is silent. */
export type Fault = (response: ServerResponse, received: ReceivedCall) => void | Promise<void>;

/** A customer's deployment that speaks OpenAI's wire, or Anthropic's at `/messages`. It behaves but for its faults. */
export interface ModelServer {
  /** With `/v1`. */
  baseUrl: string;
  received: ReceivedCall[];
  faults: Partial<Record<ModelCall, Fault>>;
  /** The `model` of its answers; absent, the one that it is asked for. */
  model: string | undefined;
  /** Answers as without faults. */
  behave: Fault;
  /** Forgets requests and faults. */
  reset(): void;
  reached(call: ModelCall): Promise<ReceivedCall>;
  close(): Promise<void>;
}

const USAGE = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 };

export async function startModelServer(): Promise<ModelServer> {
  const received: ReceivedCall[] = [];
  const server: ModelServer = {
    baseUrl: '',
    received,
    faults: {},
    model: undefined,
    behave: (response, asked) => answer(response, asked, server.model ?? String(asked.body['model'])),
    reset() {
      received.length = 0;
      server.faults = {};
      server.model = undefined;
    },
    reached: (call) =>
      eventually(`a request for ${call}`, async () => received.find((one) => one.call === call)),
    close: async () => {},
  };
  const loopback = await startLoopbackServer(async (request, response) => {
    const body = JSON.parse(await text(request)) as Record<string, unknown>;
    const path = request.url ?? '';
    const asked = { call: callOf(path, body), path, headers: request.headers, body };
    received.push(asked);
    await (server.faults[asked.call] ?? server.behave)(response, asked);
  });
  server.baseUrl = `${loopback.origin}/v1`;
  server.close = loopback.close;
  return server;
}

function callOf(path: string, body: Record<string, unknown>): ModelCall {
  if (path.endsWith('/embeddings')) return 'embeddings';
  if (body['stream'] === true) return 'stream';
  if (path.endsWith('/messages')) return 'message';
  return Object.keys(body).length > 3 ? 'parameters' : 'whole';
}

function answer(response: ServerResponse, { call }: ReceivedCall, model: string): void {
  if (call === 'embeddings') {
    const usage = { prompt_tokens: 4, total_tokens: 4 };
    return sendJson(response, 200, { model, data: [{ index: 0, embedding: [0.5, 1] }], usage });
  }
  if (call === 'stream') return sendEvents(response, [chunk(model, 'OK'), end(model), counted(model)]);
  sendJson(response, 200, completion(model));
}

export function completion(model: string, change: object = {}): object {
  const choices = [
    { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: '{"ok":true}' } },
  ];
  return { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model, choices, usage: USAGE, ...change };
}

export function chunk(model: string, content: string): object {
  return { id: 'c', model, choices: [{ index: 0, delta: { content }, finish_reason: null }] };
}

/** The last chunk with a choice. */
export function end(model: string): object {
  return { id: 'c', model, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
}

/** The chunk after it, which counts tokens. */
export function counted(model: string): object {
  return { id: 'c', model, choices: [], usage: USAGE };
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Sends a stream that ends as it should. */
export function sendEvents(response: ServerResponse, chunks: readonly object[]): void {
  beginEvents(response, chunks);
  response.end('data: [DONE]\n\n');
}

/** Sends the beginning of a stream. */
export function beginEvents(response: ServerResponse, chunks: readonly object[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const one of chunks) response.write(`data: ${JSON.stringify(one)}\n\n`);
}
