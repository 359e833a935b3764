/** Describes the calling key, with its usage, limits and budgets. */
import type { CurrentKey, currentKeyOperations } from '../../contract/accounts/current-key.ts';
import type { KeyBudgetRecord } from '../../contract/accounts/key-budget.ts';
import { nanosToUsd } from '../../domain/money.ts';
import type { Principal } from '../../domain/principal.ts';
import type { KeyInfo } from '../../services/accounts/identity/describe-key.ts';
import type { KeyBudget } from '../../services/accounts/identity/key-budgets.ts';
import type { RateLimit } from '../../services/rate-limits/generation-rate.ts';
import type { Api, RoutesOf } from '../http/route.ts';
import { presentUsage } from './keys.ts';

interface Used {
  keyInfo: { describeKey(principal: Principal): Promise<KeyInfo> };
}

export const currentKeyRoutes: RoutesOf<typeof currentKeyOperations, Used> = {
  /** Handles `GET /key` and `GET /auth/key`: returns the limits and spending of the calling key. */
  getCurrentKey: ({ principal }, api) => describeKey(principal, api),

  getCurrentKeyAtFormerPath: ({ principal }, api) => describeKey(principal, api),
};

async function describeKey(principal: Principal, { services }: Api<Used>) {
  return { status: 200, body: presentCurrentKey(await services.keyInfo.describeKey(principal)) } as const;
}

/** Presents the caller's own key, with its usage, limits and budgets. */
function presentCurrentKey(key: KeyInfo): CurrentKey {
  const isManagement = key.kind === 'management';
  return {
    data: {
      label: key.label,
      ...presentUsage(key),
      limit: key.limitNanos === null ? null : nanosToUsd(key.limitNanos),
      limit_remaining: key.limitRemainingNanos === null ? null : nanosToUsd(key.limitRemainingNanos),
      limit_reset: key.limitReset,
      include_byok_in_limit: key.includeByokInLimit,
      ...presentKeyBudgets(key.budgets),
      is_free_tier: key.isFreeTier,
      is_management_key: isManagement,
      is_provisioning_key: isManagement,
      creator_user_id: key.creatorUserId,
      organization_id: key.organizationId,
      workspace_id: key.workspaceId,
      allowed_data_regions: ['global', 'europe', 'us'],
      free_model_daily_requests: { limit: -1, remaining: -1, used: key.freeRequestsToday },
      rate_limit: presentRateLimit(key.rateLimit),
      expires_at: key.expiresAt?.toISOString() ?? null,
    },
  };
}

/**
 * Presents the rate limit. Clients of this API shape require one even without a limit: -1, with their usual interval.
 */
function presentRateLimit(limit: RateLimit | null): CurrentKey['data']['rate_limit'] {
  if (limit === null) return { interval: '10s', requests: -1, note: 'No rate limit is configured' };
  return {
    interval: presentInterval(limit.intervalMs),
    requests: limit.requests,
    note: 'Generation requests in any such interval',
  };
}

function presentInterval(ms: number): string {
  return ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`;
}

/** Presents the budgets of a key, and the budget that restricts the key most. */
function presentKeyBudgets(budgets: readonly KeyBudget[]): {
  budgets: KeyBudgetRecord[];
  effective_budget: KeyBudgetRecord | null;
} {
  const effective = blockingFirst(budgets);
  return {
    budgets: budgets.map(presentKeyBudget),
    effective_budget: effective === undefined ? null : presentKeyBudget(effective),
  };
}

/** Returns the first exhausted budget, or else the one with the least money left. */
function blockingFirst(budgets: readonly KeyBudget[]): KeyBudget | undefined {
  const left = ({ limitNanos, spentNanos }: KeyBudget): bigint => limitNanos - spentNanos;
  const spent = budgets.find((budget) => left(budget) <= 0n);
  return spent ?? budgets.toSorted((a, b) => Number(left(a) - left(b)))[0];
}

function presentKeyBudget(budget: KeyBudget): KeyBudgetRecord {
  const { limitNanos, spentNanos, interval, workspaceBudgetId } = budget;
  return {
    scope: workspaceBudgetId === null ? 'key_limit' : 'workspace',
    budget_id: workspaceBudgetId,
    guardrail_id: null,
    limit_usd: nanosToUsd(limitNanos),
    spend_usd: nanosToUsd(spentNanos),
    remaining_usd: nanosToUsd(limitNanos - spentNanos),
    include_byok: budget.includeByok,
    reset_interval: interval === 'lifetime' ? null : interval,
    resets_at: budget.resetsAt?.toISOString() ?? null,
  };
}
