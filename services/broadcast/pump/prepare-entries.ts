import type { LogEntry } from '../../../db/broadcast/log-read-model.ts';
import { composeSpan } from '../../../domain/broadcast/compose-span.ts';
import type { BroadcastRules } from '../../../domain/broadcast/destination.ts';
import type { BroadcastEvent } from '../../../domain/broadcast/event.ts';
import type { BroadcastSpan } from '../../../domain/broadcast/span.ts';
import type { createSelector } from '../selector.ts';
import { spanIdsOf } from '../span-ids.ts';
import { beginWorkTurn } from './work-turn.ts';

/** An entry of the log, and the span that goes to the destination. Null: nothing is sent. */
export interface PreparedEntry extends LogEntry {
  span: BroadcastSpan | null;
  isBroken: boolean;
}

/** What decides which generations are sent, and how much of each. */
export interface SpanRules {
  rules: BroadcastRules;
  select: ReturnType<typeof createSelector>;
}

/** Selects the generations of a batch and turns them into spans. Other work of the process goes first now and then. */
export async function prepareEntries(
  entries: readonly LogEntry[],
  rules: SpanRules,
  now: () => number = Date.now,
): Promise<PreparedEntry[]> {
  const prepared: PreparedEntry[] = [];
  const turn = beginWorkTurn(now);
  for (const entry of entries) {
    if (turn.isOver()) await turn.next();
    prepared.push({ ...entry, ...trySpan(entry.event, (event) => toSpan(event, rules)) });
  }
  return prepared;
}

/**
 * Makes a span of a generation. One of which none can be made would fail each time, and hold up all that follow, so it is
 * marked instead.
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

/** Returns null for a generation that the rules leave out. */
function toSpan(event: BroadcastEvent, { rules, select }: SpanRules): BroadcastSpan | null {
  const ids = spanIdsOf(event);
  return select(event, ids) === 'sent' ? composeSpan(event, rules, ids) : null;
}
