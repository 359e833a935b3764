import { Readable } from 'node:stream';
import type { ApiContext } from './context.ts';
import type { AnyAnswer } from './route.ts';

/** Writes a handler's answer. JSON is made before anything is set, so that a failure can still be answered. */
export function sendAnswer(ctx: ApiContext, { status, headers, body }: AnyAnswer): void {
  const payload = body === undefined || body instanceof Readable ? body : JSON.stringify(body);
  ctx.status = status;
  if (headers !== undefined) ctx.set(headers);
  if (payload === undefined) return;
  if (typeof payload === 'string') ctx.set('content-type', 'application/json; charset=utf-8');
  else payload.on('error', leaveToPipeline);
  ctx.body = payload;
}

/**
 * Koa pipes the stream and reports its errors, but stops listening once the client is gone; an error that
 * the source emits after that would end the process.
 */
function leaveToPipeline(): void {}
