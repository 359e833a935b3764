/** Compiles the filters of a destination, and decides what it receives and for which generations it needs content. */
import type { BroadcastEvent } from '../../../domain/broadcast/event.ts';
import type { FilterGroup, FilterRules } from '../../../domain/broadcast/filter-rules.ts';
import { compileRule } from './compile-rule.ts';
import type { BroadcastRules } from '../../../domain/broadcast/destination.ts';
import { selectEvent, type Selection } from '../../../domain/broadcast/select-event.ts';
import { spanIdsOf } from '../span-ids.ts';

/** Returns undefined if the answer depends on a prompt or an answer that is missing. */
type Filter = (event: BroadcastEvent) => boolean | undefined;

/** Compiles a destination's filters, once for each version of its settings. A generation must pass every group. */
export function compileFilters(rules: FilterRules | null): Filter {
  if (rules === null || !rules.enabled) return () => true;
  return combine(rules.groups.filter((group) => group.rules.length > 0).map(compileGroup), false);
}

function compileGroup({ logic, rules }: FilterGroup): Filter {
  return combine(rules.map(compileRule), logic === 'or');
}

/** Combines filters. One with the result `decisive` decides, also beside undecided ones. */
function combine(filters: readonly Filter[], decisive: boolean): Filter {
  return (event) => {
    let result: boolean | undefined = !decisive;
    for (const passes of filters) {
      const passed = passes(event);
      if (passed === decisive) return decisive;
      if (passed === undefined) result = undefined;
    }
    return result;
  };
}

type SelectingRules = Pick<BroadcastRules, 'apiKeyHashes' | 'regions' | 'filterRules' | 'samplingRate'>;

/** Returns a function that decides whether a destination receives a generation. Filters are compiled once, here. */
export function createSelector(
  rules: SelectingRules,
): (event: BroadcastEvent, ids: { traceId: string }) => Selection {
  const passesFilters = compileFilters(rules.filterRules);
  return (event, { traceId }) => selectEvent(rules, event, traceId, passesFilters);
}

/**
 * Returns whether a destination needs the prompt and the answer of a generation, which `event` does not have yet: it
 * sends them, or its filters cannot decide without them. In privacy mode, filters read them too, but nothing of them is
 * sent.
 */
export function needsContent(
  event: BroadcastEvent,
  { privacyMode }: Pick<BroadcastRules, 'privacyMode'>,
  select: ReturnType<typeof createSelector>,
): boolean {
  const selection = select(event, spanIdsOf(event));
  return selection === 'undecided' || (selection === 'sent' && !privacyMode);
}
