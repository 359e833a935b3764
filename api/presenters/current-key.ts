import type { CurrentKey } from '../../contract/keys.ts';
import { nanosToUsd } from '../../domain/money.ts';
import type { KeyInfo } from '../../services/identity/describe-key.ts';

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
      is_free_tier: false,
      is_management_key: isManagement,
      is_provisioning_key: isManagement,
      creator_user_id: key.creatorUserId,
      organization_id: key.organizationId,
      workspace_id: key.workspaceId,
      allowed_data_regions: ['global', 'europe', 'us'],
      free_model_daily_requests: { limit: -1, remaining: -1, used: 0 },
      rate_limit: { interval: '10s', requests: -1, note: 'No rate limit is configured' },
      expires_at: key.expiresAt?.toISOString() ?? null,
    },
  };
}

function presentUsage(key: KeyInfo) {
  return {
    usage: nanosToUsd(key.usage),
    usage_daily: nanosToUsd(key.usageDaily),
    usage_weekly: nanosToUsd(key.usageWeekly),
    usage_monthly: nanosToUsd(key.usageMonthly),
    byok_usage: nanosToUsd(key.byokUsage),
    byok_usage_daily: nanosToUsd(key.byokUsageDaily),
    byok_usage_weekly: nanosToUsd(key.byokUsageWeekly),
    byok_usage_monthly: nanosToUsd(key.byokUsageMonthly),
  };
}
