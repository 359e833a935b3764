/** Decides which log entries a destination receives, and composes their spans. */
import type { LogEntry } from '../../../db/broadcast/log-read-model.ts';
import { composeSpan } from '../../../domain/broadcast/compose-span.ts';
import type { BroadcastRules } from '../../../domain/broadcast/destination.ts';
import type { BroadcastEvent } from '../../../domain/broadcast/event.ts';
import type { BroadcastSpan } from '../../../domain/broadcast/span.ts';
import type { createSelector } from '../selector.ts';
import { spanIdsOf } from '../span-ids.ts';
import { beginTimeSlice } from './time-slice.ts';

/** An entry of the log with the span for the destination; the span is null when nothing is sent. */
export interface PreparedEntry extends LogEntry {
  span: BroadcastSpan | null;
  isBroken: boolean;
}

/** The rules for which generations are sent, and which of their fields. */
export interface SpanRules {
  rules: BroadcastRules;
  select: ReturnType<typeof createSelector>;
}

/** Selects the generations of a batch and turns them into spans. It regularly lets other work of the process run. */
export async function prepareEntries(
  entries: readonly LogEntry[],
  rules: SpanRules,
  now: () => number = Date.now,
): Promise<PreparedEntry[]> {
  const prepared: PreparedEntry[] = [];
  const turn = beginTimeSlice(now);
  for (const entry of entries) {
    if (turn.isOver()) await turn.next();
    prepared.push({ ...entry, ...trySpan(entry.event, (event) => toSpan(event, rules)) });
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

/** Returns null for a generation that the rules exclude. */
function toSpan(event: BroadcastEvent, { rules, select }: SpanRules): BroadcastSpan | null {
  const ids = spanIdsOf(event);
  return select(event, ids) === 'sent' ? composeSpan(event, rules, ids) : null;
}
