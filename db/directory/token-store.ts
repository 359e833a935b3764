import type { ScimToken } from '../../domain/directory/scim-token.ts';
import type { Handle } from '../postgres/connection.ts';
import { anyRows, countRows, lockName, oneRow } from '../postgres/results.ts';
import { bool, selectList, text, timestamptz, uuid } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';
import { OF_ORGANIZATION } from './directory-page.ts';

const TOKEN = {
  id: uuid,
  organizationId: uuid,
  label: text,
  createdAt: timestamptz,
  lastUsedAt: timestamptz.orNull,
};
const COLUMNS = selectList(TOKEN);

export interface NewScimToken {
  id: string;
  organizationId: string;
  hash: string;
  label: string;
}

/** Stores the tokens of identity providers, as hashes. */
export function createTokenStore(handle: Handle) {
  return {
    /**
     * Returns the token with this hash, and records its use unless a use was recorded within the last `noteAfterMs`.
     * Finds no token of a disabled organization.
     */
    async use(hash: string, noteAfterMs: number): Promise<ScimToken | null> {
      const isUseDue = `(last_used_at is null or last_used_at <= now() - :noteAfterMs * interval '1 millisecond')`;
      const [row] = await rowsOf(
        handle,
        { ...TOKEN, isUseDue: bool },
        `select ${COLUMNS}, ${isUseDue} "isUseDue" from scim_tokens t where hash = :hash
           and exists (select from organizations where id = t.organization_id and disabled_at is null)`,
        { hash, noteAfterMs },
      );
      if (row === undefined) return null;
      const { isUseDue: isDue, ...token } = row;
      if (isDue) {
        // Only the first of concurrent requests writes.
        const statement = `update scim_tokens set last_used_at = now() where id = :id and ${isUseDue}`;
        await run(handle, statement, { id: token.id, noteAfterMs });
      }
      return token;
    },

    /** Blocks other transactions that add tokens to the organization until the commit. */
    lock: (organizationId: string) => lockName(handle, `scim_tokens ${organizationId}`),

    count: (organizationId: string): Promise<number> =>
      countRows(handle, `from scim_tokens ${OF_ORGANIZATION}`, { organizationId }),

    insert: (values: NewScimToken): Promise<ScimToken> =>
      oneRow(
        handle,
        TOKEN,
        `insert into scim_tokens (id, organization_id, hash, label) values (:id, :organizationId, :hash, :label)
         returning ${COLUMNS}`,
        { ...values },
      ),

    /** Lists the tokens of an organization, oldest first. */
    list: (organizationId: string): Promise<ScimToken[]> =>
      rowsOf(handle, TOKEN, `select ${COLUMNS} from scim_tokens ${OF_ORGANIZATION} order by created_at, id`, {
        organizationId,
      }),

    /** Deletes a token. Returns whether the organization had it. */
    async delete(organizationId: string, id: string): Promise<boolean> {
      const statement = `delete from scim_tokens ${OF_ORGANIZATION} and id = :id`;
      return anyRows(handle, statement, { organizationId, id });
    },
  };
}
