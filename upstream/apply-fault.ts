import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { RequestFault } from './faults.ts';
import { filler } from './filler.ts';
import type { Outcome } from './outcome.ts';
import { errorReply, jsonReply, type Reply, UpstreamError } from './reply.ts';
import { type ImageFault, isImageFault } from './image-faults.ts';
import { spoilImages } from './images/spoil-images.ts';
import { spoilText } from './spoil-text.ts';
import { isTextFault, type TextFault } from './text-faults.ts';

/** Answers a request with a fault. `answer` computes the regular answer, and is not called for some faults. */
export async function applyFault(
  fault: RequestFault | undefined,
  answer: () => Promise<Reply>,
  signal: AbortSignal,
): Promise<Outcome> {
  if (fault === undefined) return { kind: 'reply', reply: await answer() };
  if (fault.delayMs > 0) await wait(fault.delayMs, undefined, { signal });
  if (isTextFault(fault)) return { kind: 'reply', reply: spoilText(fault, await answer(), signal) };
  if (isImageFault(fault)) return { kind: 'reply', reply: spoilImages(fault, await answer(), signal) };
  switch (fault.kind) {
    case 'drop':
      return { kind: 'cut' };
    case 'hang':
      return { kind: 'silence' };
    case 'status':
      return { kind: 'reply', reply: refusal(fault) };
    case 'drop-after':
      await answer();
      return { kind: 'cut' };
    case 'hang-after':
      await answer();
      return { kind: 'silence' };
    case 'truncate':
      return { kind: 'cut', after: { reply: await answer(), bytes: fault.bytes } };
    default:
      return { kind: 'reply', reply: spoil(fault, await answer()) };
  }
}

type SpoilingFault = Exclude<
  RequestFault,
  TextFault | ImageFault | { kind: 'drop' | 'hang' | 'status' | 'drop-after' | 'hang-after' | 'truncate' }
>;

function spoil(fault: SpoilingFault, reply: Reply): Reply {
  switch (fault.kind) {
    case 'delay':
      return reply;
    case 'garbage':
      return { ...reply, status: 200, body: Buffer.from(`${reply.events ? 'data: ' : ''}{"id": "\n\n`) };
    case 'wrong-shape':
      return jsonReply(200, { surprise: true });
    case 'oversized':
      return jsonReply(200, { id: randomBytes(16).toString('hex'), padding: 'x'.repeat(fault.bytes) });
    case 'redirect':
      return {
        status: 302,
        headers: { location: fault.location ?? reply.keylessPath ?? '/' },
        body: Buffer.alloc(0),
      };
    case 'content-type':
      return { ...reply, headers: { ...reply.headers, 'content-type': fault.value } };
    case 'stream': {
      const head = fault.of === 'mp4' ? mp4Head(fault.bytes) : Buffer.alloc(0);
      return {
        status: 200,
        headers: {
          'content-type': reply.headers['content-type'] ?? 'video/mp4',
          ...(fault.announced ? { 'content-length': `${fault.bytes}` } : {}),
        },
        body: Readable.from(headAndZeros(fault.bytes, head), { objectMode: false }),
      };
    }
  }
}

function refusal(fault: Extract<RequestFault, { kind: 'status' }>): Reply {
  return errorReply(
    new UpstreamError(fault.status, fault.message, {
      code: fault.code,
      headers: fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter },
    }),
  );
}

/** An `ftyp` box of 20 bytes: size, type, brand `mp42`, its version, and one compatible brand. */
const FILE_TYPE_BOX = Buffer.from('\0\0\0\u0014ftypmp42\0\0\0\0mp42', 'latin1');
/** The length of a box header with a 64-bit size, which a size of 1 announces. */
const LONG_BOX_HEADER_BYTES = 16;

/** Returns the start of an MP4 with media data that fill all the rest. */
function mp4Head(bytes: number): Buffer {
  const header = Buffer.alloc(LONG_BOX_HEADER_BYTES);
  header.writeUInt32BE(1, 0);
  header.write('mdat', 4, 'latin1');
  header.writeBigUInt64BE(BigInt(Math.max(bytes - FILE_TYPE_BOX.length, LONG_BOX_HEADER_BYTES)), 8);
  return Buffer.concat([FILE_TYPE_BOX, header]).subarray(0, bytes);
}

/** Yields the head, and then zeros. */
function* headAndZeros(bytes: number, head: Buffer): Generator<Buffer> {
  if (head.length > 0) yield head;
  yield* filler(bytes - head.length, '\0');
}
