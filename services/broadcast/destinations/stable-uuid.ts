import { createHash } from 'node:crypto';

/** Returns an equal UUID for an equal text, so that a tool recognizes a repeated batch or event. */
export function stableUuid(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  // Version 8 is for values of an application's own making (RFC 9562, 5.8).
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
