/** Authenticates identity providers that call the SCIM server. */
import { createTokenStore } from '../../../db/directory/token-store.ts';
import type { Handle } from '../../../db/connection.ts';
import type { DirectoryClient } from '../../../domain/directory/scim-token.ts';
import { hashToken } from '../../accounts/identity/key-token.ts';
import { isScimTokenShaped } from './new-scim-token.ts';

/** The shown time of use may be this old, so that a busy provider does not cause a write for each request. */
const NOTE_AFTER_MS = 60_000;

/**
 * Verifies the tokens of identity providers. Each request reads the database, so that every replica refuses a deleted
 * token at once. Providers send few requests compared with callers of models.
 */
export function createScimTokenVerifier({ knex }: { knex: Handle }) {
  const store = createTokenStore(knex);
  return {
    /** Returns null for every token that does not belong to an organization now. */
    async verify(token: string): Promise<DirectoryClient | null> {
      if (!isScimTokenShaped(token)) return null;
      const tokenHash = hashToken(token);
      const found = await store.use(tokenHash, NOTE_AFTER_MS);
      return found && { organizationId: found.organizationId, tokenId: found.id, tokenHash };
    },
  };
}
