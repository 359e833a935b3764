/** Answers the operations on API keys, and converts keys for requests and answers. */
import type {
  ApiKeyRecord,
  CreatedKeyAnswer,
  KeyChangesBody,
  KeyPageQuery,
  NewKeyBody,
} from '../../contract/accounts/key.ts';
import type { keyOperations } from '../../contract/accounts/keys.ts';
import type { KeyChanges, KeyDraft, KeyWithUsage } from '../../domain/accounts/api-key.ts';
import { withoutUndefined } from '../../domain/fields.ts';
import type { UsageByPeriod } from '../../domain/ledger/spending-limit.ts';
import { nanosToUsd, usdToNanos } from '../../domain/money.ts';
import { actorOf } from '../../domain/principal.ts';
import type { CreatedKey } from '../../services/accounts/keys/create-key.ts';
import type { KeyPage, KeyService } from '../../services/accounts/keys/key-service.ts';
import { answerIdempotently } from '../http/answer-idempotently.ts';
import { requireUpdateFields } from '../http/request/require-update-fields.ts';
import type { RoutesOf } from '../http/route.ts';

export const keyRoutes: RoutesOf<typeof keyOperations, { apiKeys: KeyService }> = {
  /** Handles `GET /keys`: lists the regular API keys of a workspace. */
  listKeys: async ({ principal, query }, { services }) => {
    const keys = await services.apiKeys.list(principal.organizationId, {
      ...toKeyPage(query),
      workspaceId: query.workspace_id,
    });
    return { status: 200, body: { data: keys.map(presentApiKey) } };
  },

  /** Handles `POST /keys`: creates an API key and shows it once. */
  createKey: (call, { services }) =>
    answerIdempotently(call, answerCreatedKey, (once) =>
      services.apiKeys.create(call, toKeyDraft(call.body), once),
    ),

  /** Handles `GET /keys/{hash}`: returns one API key of the organization, without its secret. */
  getKey: async ({ principal, params }, { services }) => ({
    status: 200,
    body: { data: presentApiKey(await services.apiKeys.get(principal.organizationId, params.hash)) },
  }),

  /** Handles `PATCH /keys/{hash}`: changes the fields of an API key that the body names. */
  updateKey: async (call, { services }) => {
    const changes = requireUpdateFields(toKeyChanges(call.body));
    const key = await services.apiKeys.update(actorOf(call), call.params.hash, changes);
    return { status: 200, body: { data: presentApiKey(key) } };
  },

  /** Handles `DELETE /keys/{hash}`: deletes an API key of the organization. */
  deleteKey: async (call, { services }) => {
    await services.apiKeys.remove(actorOf(call), call.params.hash);
    return { status: 200, body: { deleted: true } };
  },
};

/** Converts the query of a list of keys. */
export function toKeyPage(query: KeyPageQuery): KeyPage {
  return withoutUndefined({
    includeDisabled: query.include_disabled,
    includeExpired: query.include_expired,
    offset: query.offset,
    beforeId: query.before_id,
  });
}

function toKeyChanges({ limit, ...body }: KeyChangesBody): KeyChanges {
  return withoutUndefined({
    name: body.name,
    disabled: body.disabled,
    limitNanos: limit === undefined || limit === null ? limit : usdToNanos(limit),
    limitReset: body.limit_reset,
    includeByokInLimit: body.include_byok_in_limit,
    workspaceId: body.workspace_id,
  });
}

/** The body of a key. Bodies for interns' keys lack the fields that place a regular key. */
type KeyBody = Omit<NewKeyBody, 'workspace_id' | 'creator_user_id' | 'external'> &
  Partial<Pick<NewKeyBody, 'workspace_id' | 'creator_user_id' | 'external'>>;

/** Converts the request body for a new key to a draft in the types of the domain. */
export function toKeyDraft(body: KeyBody): KeyDraft {
  const { limit, limit_reset: limitReset, expires_at: expiresAt } = body;
  return {
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
  };
}

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
 * Answers with a created key. Clients of this API shape require `key` to be text, so it is empty if there is no token
 * to show.
 */
export function answerCreatedKey({ key, token }: CreatedKey): { status: 201; body: CreatedKeyAnswer } {
  return { status: 201, body: { data: presentApiKey(key), key: token ?? '' } };
}

/** Turns a key's spending by day, week, month and in all into the usage fields of its responses, in US dollars. */
export function presentUsage(usage: UsageByPeriod) {
  return {
    usage: nanosToUsd(usage.usage),
    usage_daily: nanosToUsd(usage.usageDaily),
    usage_weekly: nanosToUsd(usage.usageWeekly),
    usage_monthly: nanosToUsd(usage.usageMonthly),
    byok_usage: nanosToUsd(usage.byokUsage),
    byok_usage_daily: nanosToUsd(usage.byokUsageDaily),
    byok_usage_weekly: nanosToUsd(usage.byokUsageWeekly),
    byok_usage_monthly: nanosToUsd(usage.byokUsageMonthly),
  };
}
