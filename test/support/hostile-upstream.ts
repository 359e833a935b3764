import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { startLoopbackServer } from '../platform/loopback-server.ts';

const MIB = 1024 ** 2;

/** Answers that try to use up the gateway's memory. A prompt names the answer that it asks for. */
const ANSWERS = {
  /** A chat of 60 MB, four times as long as allowed. */
  'huge-whole': { send: sendWhole, bytes: () => chatOf(60 * MIB) },
  /** A chat that is just short enough for a process with a heap of 256 MB. */
  'large-whole': { send: sendWhole, bytes: () => chatOf(8 * MIB) },
  /** Events of 7 MB, seven times as long as allowed. */
  'huge-events': { send: sendEvents, bytes: () => eventOf('x'.repeat(7 * MIB)) },
  /** Events that are just short enough. */
  'large-events': { send: sendEvents, bytes: () => eventOf('x'.repeat(MIB - 1_000)) },
  /** The last chunk of a stream, of 350,000 objects, which the gateway keeps until the end. It never comes. */
  'kept-event': { send: sendOneEvent, bytes: () => lastEventOf(Math.floor(MIB / 3) - 1_000) },
};

export type HostileAnswer = keyof typeof ANSWERS;

export interface HostileUpstream {
  origin: string;
  /** With `/v1`. */
  baseUrl: string;
  /** The number of requests so far. */
  asked(): number;
  close(): Promise<void>;
}

/** Starts a customer's server on OpenAI's wire that is out for the gateway's memory. */
export async function startHostileUpstream(): Promise<HostileUpstream> {
  let asked = 0;
  const { origin, close } = await startLoopbackServer((request, response) => {
    asked += 1;
    void answer(request, response);
  });
  return { origin, baseUrl: `${origin}/v1`, asked: () => asked, close };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.on('error', () => {});
  const body = await text(request).catch(() => '');
  const name = (Object.keys(ANSWERS) as HostileAnswer[]).find((one) => body.includes(one));
  if (name !== undefined) await ANSWERS[name].send(response, bytesOf(name));
}

const made = new Map<HostileAnswer, Buffer>();

/** Makes an answer once, so that the process of the test stays free. */
function bytesOf(name: HostileAnswer): Buffer {
  let bytes = made.get(name);
  if (bytes === undefined) made.set(name, (bytes = ANSWERS[name].bytes()));
  return bytes;
}

function sendWhole(response: ServerResponse, json: Buffer): void {
  // In pieces, and so without a length from which the gateway could tell.
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write(' ');
  response.end(json);
}

async function sendEvents(response: ServerResponse, event: Buffer): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  while (!response.destroyed) {
    if (!response.write(event)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
}

function sendOneEvent(response: ServerResponse, event: Buffer): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(event);
}

function chatOf(bytes: number): Buffer {
  const message = { role: 'assistant', content: 'x'.repeat(bytes) };
  const choices = [{ index: 0, finish_reason: 'stop', message }];
  return Buffer.from(JSON.stringify({ choices, usage: { prompt_tokens: 1, completion_tokens: 1 } }));
}

function eventOf(content: string): Buffer {
  return Buffer.from(`data: {"choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`);
}

function lastEventOf(objects: number): Buffer {
  const delta = `{"content":"x","objects":[${Array<string>(objects).fill('{}').join(',')}]}`;
  return Buffer.from(`data: {"choices":[{"index":0,"delta":${delta},"finish_reason":"stop"}]}\n\n`);
}
