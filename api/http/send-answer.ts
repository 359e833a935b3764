import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { SCIM_MEDIA_TYPE } from '../../contract/directory/scim-error.ts';
import { untilTaken } from '../../platform/stalled-reader.ts';
import { EventStream, type Pieces } from '../../platform/event-stream.ts';
import type { ApiContext } from './context.ts';
import { ReadyJson } from '../../platform/ready-json.ts';
import { atTurnEnd } from '../../platform/turn-end.ts';
import type { AnswerHeaders, AnyAnswer } from './route.ts';

/**
 * Sends a handler's answer. JSON is serialized before any header is set, so that a failure can still become an error
 * answer. For a streamed body it returns a promise, which resolves at its end and never rejects. Every body is cut if
 * its reader makes no progress for five minutes.
 */
export function sendAnswer(ctx: ApiContext, { status, headers, body }: AnyAnswer): Promise<void> | undefined {
  if (body instanceof EventStream) return sendEvents(ctx, status, headers, body);
  if (body instanceof Readable) return sendFile(ctx, status, headers, body);
  if (Buffer.isBuffer(body)) return sendBytes(ctx, takeOver(ctx, status, headers), [body], body.length);
  if (body !== undefined) return sendJson(ctx, status, headers, readyJsonOf(body));
  ctx.status = status;
  if (headers !== undefined) ctx.set({ ...headers });
  return undefined;
}

/**
 * The size above which a body is written in pieces. The progress of a single write is invisible, so a slow reader would
 * look stalled.
 */
const LARGE_BYTES = 1024 ** 2;

type Headers = AnswerHeaders | undefined;

function readyJsonOf(body: unknown): ReadyJson {
  return body instanceof ReadyJson ? body : new ReadyJson([JSON.stringify(body)]);
}

/** Sends JSON without Koa, which would compute the known type and length again. */
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
  return sendBytes(ctx, res, pieces, length);
}

function sendBytes(
  ctx: ApiContext,
  res: ServerResponse,
  pieces: readonly (string | Buffer)[],
  length: number,
): undefined {
  res.setHeader('content-length', length);
  // An invalid header throws here, where the request can still be answered with an error.
  res.writeHead(res.statusCode);
  atTurnEnd(() => {
    try {
      writeAll(res, pieces);
    } catch (error) {
      res.destroy();
      ctx.app.emit('error', error, ctx);
    }
  });
  return undefined;
}

/** Writes all pieces in one write to the socket; `end` removes the cork. */
function writeAll(res: ServerResponse, pieces: readonly (string | Buffer)[]): void {
  const last = pieces.length - 1;
  if (last > 0) res.cork();
  for (let n = 0; n < last; n += 1) res.write(pieces[n]);
  res.end(pieces[last]);
  if (res.writableLength > 0) void untilTaken(res);
}

/** Sends a stream of events. Later errors are only logged, since the status was sent. */
function sendEvents(ctx: ApiContext, status: number, headers: Headers, events: EventStream): Promise<void> {
  return report(ctx, events.sendTo(takeOver(ctx, status, headers)));
}

/**
 * Sends the chunks of a file. Closes the file when the client disconnects, even while a chunk is being read: a
 * generator that waits for a chunk cannot return.
 */
function sendFile(ctx: ApiContext, status: number, headers: Headers, file: Readable): Promise<void> {
  const res = takeOver(ctx, status, headers);
  const close = (): void => void file.destroy();
  // The iterator reports errors while it reads; a file that is closed early may emit one later.
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

/** Prepares the answer for writing without Koa. */
function takeOver(ctx: ApiContext, status: number, headers: Headers): ServerResponse {
  const { res } = ctx;
  ctx.respond = false;
  res.statusCode = status;
  for (const name in headers) {
    // The gateway's own `vary` values are set already.
    if (name === 'vary') res.appendHeader(name, headers[name]!);
    else res.setHeader(name, headers[name]!);
  }
  return res;
}
