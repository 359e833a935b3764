/** Moves one encrypted value to the current master key, if it can be opened. */
import { type Encryption, EncryptionError, keyIdOf } from '../../platform/encryption.ts';

/** The means of re-wrapping sealed values, with the ids of all master keys. */
export interface RotationKeys {
  encryption: Pick<Encryption, 'open' | 'rewrap'>;
  currentKeyId: string;
  keyIds: ReadonlySet<string>;
}

/** The reason why a value stays unchanged. `no_key` means that its master key is not configured. */
export type UnchangedReason = 'no_key' | 'does_not_open' | 'object_store';

/**
 * Re-wraps a value under the current master key. The value is opened first: one that cannot be opened stays
 * unchanged, so that it can be examined.
 */
export function rewrapValue(
  { encryption, keyIds }: RotationKeys,
  sealed: string,
  context: string,
): { rewrapped: string } | { left: UnchangedReason } {
  const keyId = keyIdOf(sealed);
  if (keyId !== null && !keyIds.has(keyId)) return { left: 'no_key' };
  try {
    encryption.open(sealed, context);
    return { rewrapped: encryption.rewrap(sealed, context) };
  } catch (error) {
    if (!(error instanceof EncryptionError)) throw error;
    return { left: 'does_not_open' };
  }
}
