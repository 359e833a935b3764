import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { SCIM_MEDIA_TYPE } from '../../contract/directory/scim-error.ts';
import { untilTaken } from '../../platform/stalled-reader.ts';
import { EventStream, type Pieces } from '../../platform/event-stream.ts';
import type { ApiContext } from './context.ts';
import { ReadyJson } from './ready-json.ts';
import type { AnswerHeaders, AnyAnswer } from './route.ts';
import { createTurnEnd } from './turn-end.ts';

/**
 * Writes a handler's answer. JSON is serialized before anything is set, so that a failure can still be answered. A body
 * that is produced while it is sent gives a promise, which resolves once the body is sent or given up and never rejects.
 * Every body is cut when its reader takes nothing for five minutes.
 */
export function sendAnswer(ctx: ApiContext, { status, headers, body }: AnyAnswer): Promise<void> | undefined {
  if (body instanceof EventStream) return sendEvents(ctx, status, headers, body);
  if (body instanceof Readable) return sendFile(ctx, status, headers, body);
  if (Buffer.isBuffer(body)) return sendBytes(takeOver(ctx, status, headers), [body], body.length);
  if (body !== undefined) return sendJson(ctx, status, headers, readyJsonOf(body));
  ctx.status = status;
  if (headers !== undefined) ctx.set({ ...headers });
  return undefined;
}

/** A longer body is written in pieces: how much of a single write is taken cannot be seen, so a slow reader would look stalled. */
const LARGE_BYTES = 1024 ** 2;

const atTurnEnd = createTurnEnd();

type Headers = AnswerHeaders | undefined;

function readyJsonOf(body: unknown): ReadyJson {
  return body instanceof ReadyJson ? body : new ReadyJson([JSON.stringify(body)]);
}

/** Past Koa, which would look for the type and length that are known here. */
function sendJson(
  ctx: ApiContext,
  status: number,
  headers: Headers,
  { pieces, byteLength: length }: ReadyJson,
): Promise<void> | undefined {
  const res = takeOver(ctx, status, headers);
  const isScim = ctx.state.errorShape === 'scim';
  res.setHeader('content-type', isScim ? SCIM_MEDIA_TYPE : 'application/json; charset=utf-8');
  if (length > LARGE_BYTES) {
    ctx.state.handedOverAtMs = performance.now();
    res.setHeader('content-length', length);
    return report(ctx, new EventStream(inTurn(pieces)).sendTo(res));
  }
  return sendBytes(res, pieces, length);
}

function sendBytes(res: ServerResponse, pieces: readonly (string | Buffer)[], length: number): undefined {
  res.setHeader('content-length', length);
  // A header that cannot be sent throws here, where the request can still be answered with an error.
  res.writeHead(res.statusCode);
  atTurnEnd(() => writeAll(res, pieces));
  return undefined;
}

/** All of it in one write to the socket; its end takes the cork out. */
function writeAll(res: ServerResponse, pieces: readonly (string | Buffer)[]): void {
  const last = pieces.length - 1;
  if (last > 0) res.cork();
  for (let n = 0; n < last; n += 1) res.write(pieces[n]);
  res.end(pieces[last]);
  if (res.writableLength > 0) void untilTaken(res);
}

/** What goes wrong from here on can only be reported: the status is out, or as good as out. */
function sendEvents(ctx: ApiContext, status: number, headers: Headers, events: EventStream): Promise<void> {
  return report(ctx, events.sendTo(takeOver(ctx, status, headers)));
}

/**
 * Sends the chunks of a file. The file is closed when the client is gone, also while its next chunk is still being
 * read: a generator that waits for a chunk cannot return.
 */
function sendFile(ctx: ApiContext, status: number, headers: Headers, file: Readable): Promise<void> {
  const res = takeOver(ctx, status, headers);
  const close = (): void => void file.destroy();
  // The iterator reports errors while it reads; a file that is closed early may emit one to nobody.
  file.on('error', () => {});
  if (res.destroyed) close();
  else res.once('close', close);
  return report(ctx, new EventStream(chunksOf(file)).sendTo(res));
}

async function* chunksOf(file: AsyncIterable<Buffer>): Pieces {
  yield* file;
  return undefined;
}

function report(ctx: ApiContext, sent: Promise<void>): Promise<void> {
  return sent.catch((error: unknown) => void ctx.app.emit('error', error, ctx));
}

async function* inTurn(pieces: readonly (string | Buffer)[]): Pieces {
  yield* pieces;
  return undefined;
}

/** The answer is written past Koa from here on. */
function takeOver(ctx: ApiContext, status: number, headers: Headers): ServerResponse {
  const { res } = ctx;
  ctx.respond = false;
  res.statusCode = status;
  for (const name in headers) {
    // What the gateway's own headers vary with is set already.
    if (name === 'vary') res.appendHeader(name, headers[name]!);
    else res.setHeader(name, headers[name]!);
  }
  return res;
}
