import type { BroadcastRules } from '../../domain/broadcast/destination.ts';
import type { BroadcastEvent } from '../../domain/broadcast/event.ts';
import { selectEvent, type Selection } from '../../domain/broadcast/select-event.ts';
import { compileFilters } from './filters/compile-filters.ts';

type SelectingRules = Pick<BroadcastRules, 'apiKeyHashes' | 'regions' | 'filterRules' | 'samplingRate'>;

/** Returns a function that decides whether a destination receives a generation. Filters are compiled once, here. */
export function createSelector(
  rules: SelectingRules,
): (event: BroadcastEvent, ids: { traceId: string }) => Selection {
  const passesFilters = compileFilters(rules.filterRules);
  return (event, { traceId }) => selectEvent(rules, event, traceId, passesFilters);
}
