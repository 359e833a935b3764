import { createHmac } from 'node:crypto';

/** Returns the fingerprint of a value: equal values of one vault have the same one, and no other vault can tell. */
export function fingerprintOf(vaultKey: Buffer, value: string): string {
  return `sha256:${createHmac('sha256', vaultKey).update(value).digest('hex')}`;
}
