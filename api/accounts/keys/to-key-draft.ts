/** Converts the request body for a new key to a draft in the types of the domain. */
import type { NewKeyBody } from '../../../contract/accounts/key.ts';
import type { KeyDraft } from '../../../domain/accounts/api-key.ts';
import { usdToNanos } from '../../../domain/money.ts';
import { withoutUndefined } from '../../http/request/without-undefined.ts';

/** The body of a key. Bodies for interns' keys lack the fields that place a regular key. */
type KeyBody = Omit<NewKeyBody, 'workspace_id' | 'creator_user_id' | 'external'> &
  Partial<Pick<NewKeyBody, 'workspace_id' | 'creator_user_id' | 'external'>>;

export function toKeyDraft(body: KeyBody): KeyDraft {
  const { limit, limit_reset: limitReset, expires_at: expiresAt } = body;
  return withoutUndefined({
    name: body.name,
    limit: {
      limitNanos: limit === undefined || limit === null ? null : usdToNanos(limit),
      limitReset: limitReset ?? null,
      includeByokInLimit: body.include_byok_in_limit,
    },
    expiresAt: expiresAt === undefined || expiresAt === null ? undefined : new Date(expiresAt),
    workspaceId: body.workspace_id,
    creatorUserId: body.creator_user_id ?? undefined,
    externalUser: body.external?.user,
    customerToken: body.external?.api_key,
  });
}
