/** Compresses large JSON answers in the coding that the caller prefers. */
import { Readable } from 'node:stream';
import { EventStream } from '../../platform/event-stream.ts';
import type { ApiContext } from './context.ts';
import { codedTag, CODINGS } from './answer-conditionally.ts';
import { ReadyJson } from '../../platform/ready-json.ts';
import type { AnyAnswer } from './route.ts';

/** The size up to which a body is not compressed. */
const SMALL_BYTES = 8 * 1024;

/**
 * Compresses JSON of more than 8 KiB, as `Accept-Encoding` allows (RFC 9110, 12.5.3). Each coding has its own entity
 * tag. Other bodies stay as they are.
 */
export function compressAnswer(ctx: ApiContext, answer: AnyAnswer): AnyAnswer | Promise<AnyAnswer> {
  const { status, headers, body } = answer;
  if (status === 304) ctx.vary('accept-encoding');
  if (body === undefined || body === null || isBytes(body)) return answer;
  const json = body instanceof ReadyJson ? body : new ReadyJson([JSON.stringify(body)]);
  if (json.byteLength <= SMALL_BYTES) return { ...answer, body: json };
  ctx.vary('accept-encoding');
  const coding = CODINGS.find((candidate) => candidate === ctx.acceptsEncodings(...CODINGS, 'identity'));
  if (coding === undefined) return { ...answer, body: json };
  const tag = headers?.['etag'];
  const tagged = typeof tag === 'string' ? { etag: codedTag(tag, coding) } : {};
  return json.compressed(coding).then((coded) => ({
    status,
    headers: { ...headers, ...tagged, 'content-encoding': coding },
    body: new ReadyJson([coded]),
  }));
}

function isBytes(body: object): boolean {
  return Buffer.isBuffer(body) || body instanceof Readable || body instanceof EventStream;
}
