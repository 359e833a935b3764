/**
 * The formats of all ids that Sluice creates. Times inside ids are Unix milliseconds: the ledger takes a generation's
 * `created_at` from its id, so a replay lands in the same partition.
 */
const ALPHANUMERIC = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `gen-vid-<timestamp>-<20 alphanumerics>`, as video jobs are named on the wire. */
export const VIDEO_JOB_ID_PATTERN = /^gen-vid-\d+-[0-9A-Za-z]{20}$/;

export const GENERATION_ID_PATTERN = /^gen-\d{1,15}-[0-9A-Za-z]{20}$/;

/** Any UUID, in either case. */
export const UUID_PATTERN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function newVideoJobId(nowMs: number): string {
  return `gen-vid-${nowMs}-${randomAlphanumeric(20)}`;
}

export function newGenerationId(nowMs: number): string {
  return `gen-${nowMs}-${randomAlphanumeric(20)}`;
}

export function newUserId(): string {
  return `user_${randomAlphanumeric(24)}`;
}

export function newRequestId(): string {
  return `req_${randomAlphanumeric(24)}`;
}

export function newUuid(): string {
  return globalThis.crypto.randomUUID();
}

/** Returns the Unix milliseconds inside a generation or video job id. Throws on other strings. */
export function timestampOfId(id: string): number {
  const match = /^gen-(?:vid-)?(\d{1,15})-[0-9A-Za-z]{20}$/.exec(id);
  if (match?.[1] === undefined) throw new TypeError('not a generation id');
  return Number(match[1]);
}

/** Holds random bytes drawn in bulk: a call of the generator costs as much as the bytes of a hundred ids. */
const pool = new Uint8Array(4_096);
let drawn = pool.length;

function randomByte(): number {
  if (drawn === pool.length) {
    globalThis.crypto.getRandomValues(pool);
    drawn = 0;
  }
  const byte = pool[drawn]!;
  drawn += 1;
  return byte;
}

/** Returns random alphanumerics without bias: bytes of 248 and above (4 × 62) are drawn again. */
function randomAlphanumeric(length: number): string {
  let text = '';
  while (text.length < length) {
    const byte = randomByte();
    if (byte < 248) text += ALPHANUMERIC[byte % 62];
  }
  return text;
}
