/** Authenticates identity providers that call the SCIM server. */
import { LRUCache } from 'lru-cache';
import { createTokenStore } from '../../../db/directory/token-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import type { DirectoryClient, ScimToken } from '../../../domain/directory/scim-token.ts';
import { hashToken } from '../../accounts/identity/key-token.ts';
import type { UnknownKeys } from '../../accounts/identity/unknown-keys.ts';
import { isScimTokenShaped } from './new-scim-token.ts';

/** The shown time of use may be this old, so that a busy provider does not cause a write for each request. */
const NOTE_AFTER_MS = 60_000;

const MAX_KNOWN = 10_000;

export interface ScimTokenVerifierOptions {
  /** Reads tokens that were found before. */
  knex: Handle;
  unknownKeys: UnknownKeys;
}

/**
 * Verifies the tokens of identity providers. Each request reads the database, so that every replica refuses a deleted
 * token at once. Providers send few requests compared with callers of models.
 */
export function createScimTokenVerifier({ knex, unknownKeys }: ScimTokenVerifierOptions) {
  const store = createTokenStore(knex);
  const unknownStore = createTokenStore(unknownKeys.reads);
  /** The hashes of tokens that were found. */
  const known = new LRUCache<string, true>({ max: MAX_KNOWN });
  const find = (hash: string, addressOf: () => string): Promise<ScimToken | null> =>
    known.has(hash)
      ? store.use(hash, NOTE_AFTER_MS)
      : unknownKeys.lookUp(addressOf(), () => unknownStore.use(hash, NOTE_AFTER_MS));
  return {
    /**
     * Returns null for every token that does not belong to an organization now. Rejects as `UnknownKeys` does if the
     * token was never found; `addressOf` returns the address of the caller.
     */
    async verify(token: string, addressOf: () => string): Promise<DirectoryClient | null> {
      if (!isScimTokenShaped(token)) return null;
      const tokenHash = hashToken(token);
      const found = await find(tokenHash, addressOf);
      if (found === null) known.delete(tokenHash);
      else known.set(tokenHash, true);
      return found && { organizationId: found.organizationId, tokenId: found.id, tokenHash };
    },
  };
}

export type ScimTokenVerifier = ReturnType<typeof createScimTokenVerifier>;
