/** Decides which log entries a destination receives, and composes their spans. */
import type { LogEntry } from '../../../db/broadcast/log-read-model.ts';
import { composeSpan } from '../../../domain/broadcast/compose-span.ts';
import type { BroadcastRules } from '../../../domain/broadcast/destination.ts';
import type { BroadcastEvent } from '../../../domain/broadcast/event.ts';
import type { BroadcastSpan } from '../../../domain/broadcast/span.ts';
import type { createSelector } from '../filters/compile-filters.ts';
import { spanIdsOf } from '../span-ids.ts';
import { beginTimeSlice } from './time-slice.ts';

/** A generation with the span for the destination; the span is null when nothing is sent. */
export interface Prepared {
  event: BroadcastEvent | null;
  span: BroadcastSpan | null;
  isBroken: boolean;
  /** True when the filters test a prompt or an answer that is missing. */
  isUndecided: boolean;
}

/** An entry of the log with the span for the destination. */
export type PreparedEntry = LogEntry & Prepared;

/** The rules for which generations are sent, and which of their fields. */
export interface SpanRules {
  rules: BroadcastRules;
  select: ReturnType<typeof createSelector>;
}

/** Selects the generations of a batch and turns them into spans. It regularly lets other work of the process run. */
export async function prepareEntries<Entry extends Pick<Prepared, 'event'>>(
  entries: readonly Entry[],
  rules: SpanRules,
  now: () => number = Date.now,
): Promise<(Entry & Prepared)[]> {
  const prepared: (Entry & Prepared)[] = [];
  const turn = beginTimeSlice(now);
  for (const entry of entries) {
    if (turn.isOver()) await turn.next();
    prepared.push({ ...entry, ...prepare(entry.event, rules) });
  }
  return prepared;
}

/**
 * Makes a span of a generation. When that fails, the generation is marked as broken, because it would fail each time
 * and hold up all after it.
 */
export function trySpan(
  event: BroadcastEvent | null,
  toSpanOf: (event: BroadcastEvent) => BroadcastSpan | null,
): { span: BroadcastSpan | null; isBroken: boolean } {
  try {
    return { span: event && toSpanOf(event), isBroken: false };
  } catch {
    return { span: null, isBroken: true };
  }
}

function prepare(event: BroadcastEvent | null, { rules, select }: SpanRules): Omit<Prepared, 'event'> {
  let isUndecided = false;
  const made = trySpan(event, (known) => {
    const ids = spanIdsOf(known);
    const selection = select(known, ids);
    isUndecided = selection === 'undecided';
    return selection === 'sent' ? composeSpan(known, rules, ids) : null;
  });
  return { ...made, isUndecided };
}
