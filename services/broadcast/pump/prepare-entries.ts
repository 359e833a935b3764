import type { LogEntry } from '../../../db/broadcast/log-read-model.ts';
import { composeSpan } from '../../../domain/broadcast/compose-span.ts';
import type { BroadcastRules } from '../../../domain/broadcast/destination.ts';
import type { BroadcastEvent } from '../../../domain/broadcast/event.ts';
import type { BroadcastSpan } from '../../../domain/broadcast/span.ts';
import type { createSelector } from '../selector.ts';
import { spanIdsOf } from '../span-ids.ts';

/** An entry of the log, and the span that goes to the destination. Null: nothing is sent. */
export interface PreparedEntry extends LogEntry {
  span: BroadcastSpan | null;
}

/** What decides which generations are sent, and how much of each. */
export interface SpanRules {
  rules: BroadcastRules;
  select: ReturnType<typeof createSelector>;
}

/** After this many events, other work of the process gets its turn: regular expressions take long. */
const EVENTS_A_TURN = 25;

/** Selects the generations of a batch and turns them into spans. */
export async function prepareEntries(
  entries: readonly LogEntry[],
  rules: SpanRules,
): Promise<PreparedEntry[]> {
  const prepared: PreparedEntry[] = [];
  for (const [n, entry] of entries.entries()) {
    if (n > 0 && n % EVENTS_A_TURN === 0) await nextTurn();
    prepared.push({ ...entry, span: entry.event && toSpan(entry.event, rules) });
  }
  return prepared;
}

/** Returns null for a generation that the rules leave out. */
function toSpan(event: BroadcastEvent, { rules, select }: SpanRules): BroadcastSpan | null {
  const ids = spanIdsOf(event);
  return select(event, ids) === 'sent' ? composeSpan(event, rules, ids) : null;
}

/** Lets other work of the process go first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
