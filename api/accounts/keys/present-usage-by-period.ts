/** Turns a key's spending by day, week, month and in all into the usage fields of its responses, in US dollars. */
import { nanosToUsd } from '../../../domain/money.ts';
import type { UsageByPeriod } from '../../../domain/ledger/spending-limit.ts';

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
