/** Converts API keys to the answers of the key operations. */
import type { ApiKeyRecord, CreatedKeyAnswer } from '../../../contract/accounts/key.ts';
import type { KeyWithUsage } from '../../../domain/accounts/api-key.ts';
import { nanosToUsd } from '../../../domain/money.ts';
import type { CreatedKey } from '../../../services/accounts/keys/create-key.ts';
import { presentUsage } from './present-usage-by-period.ts';

export function presentApiKey(key: KeyWithUsage): ApiKeyRecord {
  return {
    id: key.id,
    hash: key.hash,
    name: key.name,
    label: key.label,
    disabled: key.disabled,
    created_at: key.createdAt.toISOString(),
    updated_at: key.updatedAt?.toISOString() ?? null,
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    creator_user_id: key.creatorUserId,
    external_user: key.externalUser,
    workspace_id: key.workspaceId,
    limit: key.limitNanos === null ? null : nanosToUsd(key.limitNanos),
    limit_remaining: key.limitRemainingNanos === null ? null : nanosToUsd(key.limitRemainingNanos),
    limit_reset: key.limitReset,
    include_byok_in_limit: key.includeByokInLimit,
    ...presentUsage(key),
  };
}

/**
 * Presents a created key. Clients of this API shape require `key` to be text, so it is empty if there is no token to
 * show.
 */
export function presentCreatedKey({ key, token }: CreatedKey): CreatedKeyAnswer {
  return { data: presentApiKey(key), key: token ?? '' };
}
