import type { ScimToken } from '../../domain/directory/scim-token.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

interface TokenRow {
  id: string;
  organization_id: string;
  hash: string;
  label: string;
  created_at: Date;
  last_used_at: Date | null;
}

export interface NewScimToken {
  id: string;
  organizationId: string;
  hash: string;
  label: string;
}

/** Stores the tokens of identity providers, as hashes. */
export function createTokenStore(handle: Handle) {
  const tokens = () => handle<TokenRow>('scim_tokens');
  return {
    /**
     * Returns the token with this hash, and records its use unless a use was recorded within the last `noteAfterMs`.
     * Finds no token of a disabled organization.
     */
    async use(hash: string, noteAfterMs: number): Promise<ScimToken | null> {
      const isUseDue = `(last_used_at is null or last_used_at <= now() - ? * interval '1 millisecond')`;
      const [row] = await uncheckedRowsOf<TokenRow & { is_use_due: boolean }>(
        handle,
        `select *, ${isUseDue} as is_use_due from scim_tokens t where hash = ?
           and exists (select from organizations where id = t.organization_id and disabled_at is null)`,
        [noteAfterMs, hash],
      );
      if (row === undefined) return null;
      if (row.is_use_due) {
        // Only the first of concurrent requests writes.
        await handle.raw(`update scim_tokens set last_used_at = now() where id = ? and ${isUseDue}`, [
          row.id,
          noteAfterMs,
        ]);
      }
      return toToken(row);
    },

    /** Blocks other transactions that add tokens to the organization until the commit. */
    async lock(organizationId: string): Promise<void> {
      await handle.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [
        `scim_tokens ${organizationId}`,
      ]);
    },

    async count(organizationId: string): Promise<number> {
      const count = await tokens()
        .where({ organization_id: organizationId })
        .count<{ n: string }>({ n: '*' })
        .first();
      return Number(count?.n ?? 0);
    },

    async insert({ id, organizationId, hash, label }: NewScimToken): Promise<ScimToken> {
      const [row] = await handle('scim_tokens')
        .insert({ id, organization_id: organizationId, hash, label })
        .returning<TokenRow[]>('*');
      if (row === undefined) throw new Error('insert returned no row');
      return toToken(row);
    },

    /** Lists the tokens of an organization, oldest first. */
    async list(organizationId: string): Promise<ScimToken[]> {
      const rows = await tokens()
        .where({ organization_id: organizationId })
        .orderBy('created_at')
        .orderBy('id');
      return rows.map(toToken);
    },

    /** Deletes a token. Returns whether the organization had it. */
    async delete(organizationId: string, id: string): Promise<boolean> {
      return (await tokens().where({ organization_id: organizationId, id }).delete()) > 0;
    },
  };
}

function toToken(row: TokenRow): ScimToken {
  return {
    id: row.id,
    organizationId: row.organization_id,
    label: row.label,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}
