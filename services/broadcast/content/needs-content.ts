import type { BroadcastRules } from '../../../domain/broadcast/destination.ts';
import type { BroadcastEvent } from '../../../domain/broadcast/event.ts';
import type { FilterRules } from '../../../domain/broadcast/filter-rules.ts';
import { selectEvent } from '../../../domain/broadcast/select-event.ts';
import type { createSelector } from '../selector.ts';
import { spanIdsOf } from '../span-ids.ts';

/**
 * Returns whether a destination needs the prompt and the answer of a generation: it sends them, or its filters read
 * them. In privacy mode, filters read them too, but nothing of them is sent.
 */
export function needsContent(
  event: BroadcastEvent,
  rules: BroadcastRules,
  select: ReturnType<typeof createSelector>,
): boolean {
  if (looksAtContent(rules.filterRules)) {
    const { traceId } = spanIdsOf(event);
    return selectEvent(rules, event, traceId, () => true) === 'sent';
  }
  return !rules.privacyMode && select(event, spanIdsOf(event)) === 'sent';
}

function looksAtContent(filters: FilterRules | null): boolean {
  if (filters === null || !filters.enabled) return false;
  return filters.groups.some(({ rules }) =>
    rules.some(({ field }) => field === 'input' || field === 'output'),
  );
}
