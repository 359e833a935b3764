/** Sends what the local upstream has decided for a request: an answer, a broken connection or nothing. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { type Reply, sendReply } from './reply.ts';

/** The outcome of a request: an answer, a closed connection (perhaps after some bytes of an answer), or silence. */
export type Outcome =
  | { kind: 'reply'; reply: Reply }
  | { kind: 'cut'; after?: { reply: Reply; bytes: number } }
  | { kind: 'silence' };

/** Delivers an outcome. Silence leaves the connection open until either side closes it. */
export async function deliver(outcome: Outcome, response: ServerResponse): Promise<void> {
  if (outcome.kind === 'reply') return sendReply(outcome.reply, response);
  if (outcome.kind === 'silence') return;
  if (outcome.after !== undefined) await sendPart(outcome.after.reply, outcome.after.bytes, response);
  response.destroy();
}

/** Sends the full Content-Length, then only the first bytes. */
async function sendPart(reply: Reply, bytes: number, response: ServerResponse): Promise<void> {
  if (reply.body instanceof Readable) return;
  const length = `${reply.body.byteLength}`;
  response.writeHead(reply.status, { 'content-length': length, ...reply.headers });
  const part = reply.body.subarray(0, bytes);
  await new Promise((resolve) => response.write(part, resolve));
}
