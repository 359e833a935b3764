import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { startLoopbackServer } from '../platform/loopback-server.ts';

/** A request as a customer's server received it. */
export interface VendorCall {
  path: string;
  /** The key that was sent, by either header; undefined when none was. */
  key: string | undefined;
  body: string;
}

/** A customer's server that remembers all that it is sent, and answers as a test wants. */
export interface VendorServer {
  origin: string;
  baseUrl: string;
  calls: VendorCall[];
  /** Answers from now on. */
  answer: VendorAnswer;
  close(): Promise<void>;
}

export type VendorAnswer = (call: VendorCall, response: ServerResponse, request: IncomingMessage) => void;

export async function startVendorServer(answer: VendorAnswer = answerChat): Promise<VendorServer> {
  const calls: VendorCall[] = [];
  const listen = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request).catch(() => '');
    const { authorization, 'api-key': apiKey } = request.headers;
    const key = authorization?.replace(/^Bearer /, '') ?? apiKey?.toString();
    const call = { path: request.url ?? '', key, body };
    calls.push(call);
    server.answer(call, response, request);
  };
  const { origin, close } = await startLoopbackServer((request, response) => void listen(request, response));
  const server: VendorServer = { origin, baseUrl: `${origin}/v1`, calls, answer, close };
  return server;
}

/** Answers a chat with one word, whole or streamed as it was asked for. */
export function answerChat({ body }: VendorCall, response: ServerResponse): void {
  const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
  const common = { id: 'chatcmpl-own', created: 1_760_000_000, model: 'echo-1' };
  if (!body.includes('"stream":true')) {
    const message = { role: 'assistant', content: 'Hello' };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    return sendJson(response, 200, { ...common, object: 'chat.completion', choices, usage });
  }
  const chunk = { ...common, object: 'chat.completion.chunk' };
  const delta = { role: 'assistant', content: 'Hello' };
  const chunks = [
    { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { ...chunk, choices: [], usage },
  ];
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(
    [...chunks.map((event) => JSON.stringify(event)), '[DONE]'].map((data) => `data: ${data}\n\n`).join(''),
  );
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
