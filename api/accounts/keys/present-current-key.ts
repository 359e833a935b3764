/** Presents the caller's own key, with its usage, limits and budgets. */
import type { CurrentKey } from '../../../contract/accounts/current-key.ts';
import { nanosToUsd } from '../../../domain/money.ts';
import type { KeyInfo } from '../../../services/accounts/identity/describe-key.ts';
import type { RateLimit } from '../../../services/rate-limits/generation-rate.ts';
import { presentKeyBudgets } from './present-key-budget.ts';
import { presentUsage } from './present-usage-by-period.ts';

export function presentCurrentKey(key: KeyInfo): CurrentKey {
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
