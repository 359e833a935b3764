import type { ToolAnswer } from './exchange.ts';

/**
 * Returns how many spans were dropped according to the answer to an OTLP export. Some tools answer with an empty body
 * or a text of their own; both mean that nothing was dropped.
 */
export function rejectedSpans({ headers, body }: ToolAnswer): number {
  if (body.length === 0) return 0;
  const type = headers['content-type'] ?? '';
  const count = type.includes('json') ? readJson(body) : type.includes('protobuf') ? readProtobuf(body) : 0;
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}

/** Reads the count from JSON, where 64-bit numbers of protobuf are texts. */
function readJson(body: Buffer): number {
  try {
    const answer = JSON.parse(body.toString('utf8')) as {
      partialSuccess?: { rejectedSpans?: unknown };
    } | null;
    return Number(answer?.partialSuccess?.rejectedSpans ?? 0);
  } catch {
    return 0;
  }
}

const PARTIAL_SUCCESS = 1;
const REJECTED_SPANS = 1;

function readProtobuf(body: Buffer): number {
  const partial = findField(body, PARTIAL_SUCCESS);
  const count = typeof partial === 'object' ? findField(partial, REJECTED_SPANS) : undefined;
  return typeof count === 'number' ? count : 0;
}

/** Returns the value of a field of a protobuf message: a number, or the bytes of a field with a length. */
function findField(message: Buffer, wanted: number): number | Buffer | undefined {
  for (let at = 0; at < message.length;) {
    const tag = readVarint(message, at);
    const type = tag.value % 8;
    if (type !== 0 && type !== 2) return undefined;
    const value = readVarint(message, tag.end);
    const end = type === 0 ? value.end : value.end + value.value;
    if (Math.floor(tag.value / 8) === wanted) {
      return type === 0 ? value.value : message.subarray(value.end, end);
    }
    at = end;
  }
  return undefined;
}

/** Reads at most ten bytes, so that every step of the loop above advances. */
function readVarint(message: Buffer, start: number): { value: number; end: number } {
  let value = 0;
  for (let index = 0; index < 10; index += 1) {
    const byte = message[start + index] ?? 0;
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { value, end: start + index + 1 };
  }
  return { value, end: start + 10 };
}
