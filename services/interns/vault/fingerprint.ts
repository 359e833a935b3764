/** Computes fingerprints by which the owner of a vault can compare secrets without seeing them. */
import { createHmac } from 'node:crypto';

/**
 * Returns the fingerprint of a value. Equal values of one vault have equal fingerprints. Values of different vaults
 * cannot be compared.
 */
export function fingerprintOf(vaultKey: Buffer, value: string): string {
  return `sha256:${createHmac('sha256', vaultKey).update(value).digest('hex')}`;
}
