/** Prepares a new vault for storage, with the key of its fingerprints. */
import { randomBytes } from 'node:crypto';
import { newUuid } from '../../../domain/ids.ts';
import type { Encryption } from '../../../platform/encryption.ts';

/** A vault that is to be stored. */
export interface NewVault {
  id: string;
  /** The key for fingerprints of the vault's secrets, encrypted for `vaultKeyContext`. */
  sealedKey: string;
}

const KEY_BYTES = 32;

/** Returns an id and a random key for a new vault. */
export function newVault(encryption: Pick<Encryption, 'seal'>): NewVault {
  const id = newUuid();
  return { id, sealedKey: encryption.seal(randomBytes(KEY_BYTES), vaultKeyContext(id)) };
}

/** Returns the context that the sealed key of a vault is bound to. */
export function vaultKeyContext(vaultId: string): string {
  return `vaults:${vaultId}`;
}
