import type { Nanos } from './money.ts';

/** Usage by UTC period, as the counters give it. */
export interface UsageByPeriod {
  usage: Nanos;
  usageDaily: Nanos;
  usageWeekly: Nanos;
  usageMonthly: Nanos;
  byokUsage: Nanos;
  byokUsageDaily: Nanos;
  byokUsageWeekly: Nanos;
  byokUsageMonthly: Nanos;
}

/** What counts against a key's limit: the usage since the last reset, BYOK usage only if the key says so. */
export function spentInPeriod(
  usage: UsageByPeriod,
  reset: 'daily' | 'weekly' | 'monthly' | null,
  includeByok: boolean,
): Nanos {
  const [paid, byok] =
    reset === 'daily'
      ? [usage.usageDaily, usage.byokUsageDaily]
      : reset === 'weekly'
        ? [usage.usageWeekly, usage.byokUsageWeekly]
        : reset === 'monthly'
          ? [usage.usageMonthly, usage.byokUsageMonthly]
          : [usage.usage, usage.byokUsage];
  return includeByok ? paid + byok : paid;
}
