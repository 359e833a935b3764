/** Reads the spending counters of keys, workspaces and organizations from Postgres, for many requests at once. */
import type { CounterQuery } from '../../../db/ledger/payer-counters.ts';
import {
  type PayerCounters,
  periodStart,
  type Spend,
  utcDay,
} from '../../../domain/ledger/spending-limit.ts';
import { rollOver, type Window } from './payer.ts';

export interface CounterReaderOptions {
  /** Reads counters. Returns the answers in the order of the queries, all from one snapshot taken after the call. */
  counters: { read(queries: CounterQuery[]): Promise<PayerCounters[]> };
  /** Returns whether rows that this process settled may be uncommitted, because its ledger has rows in the spool. */
  isLedgerBehind(): boolean;
  now(): number;
}

interface Batch {
  windows: Set<Window>;
  done: Promise<void>;
}

/**
 * Creates a reader that runs one statement at a time. Requests that arrive while a statement runs share the next one.
 * So a thousand first requests cost two reads, and a later read never returns before an earlier one.
 */
export function createCounterReader(options: CounterReaderOptions) {
  let last: Promise<void> = Promise.resolve();
  let gathering: Batch | undefined;

  const gather = (): Batch => {
    const windows = new Set<Window>();
    const done = last.then(async () => {
      gathering = undefined;
      try {
        await readInto(options, [...windows]);
      } finally {
        for (const window of windows) if (window.reading === done) window.reading = null;
      }
    });
    // Only the callers of this batch get its error. The next batch runs all the same.
    last = done.catch(() => {});
    return { windows, done };
  };

  const read = (windows: Window[]): Promise<void> => {
    gathering ??= gather();
    for (const window of windows) {
      gathering.windows.add(window);
      window.reading = gathering.done;
    }
    return gathering.done;
  };
  return {
    /** Resolves when a read that started after this call has been applied. Rejects with the error of Postgres. */
    read,
    /** Reads a window for the first time. Joins a read of it that is already running. */
    readFirst: (window: Window): Promise<void> => window.reading ?? read([window]),
  };
}

export type CounterReader = ReturnType<typeof createCounterReader>;

/** The state of a window when its read started. */
interface Mark {
  window: Window;
  sinceDay: number | null;
  recent: Spend;
}

async function readInto({ counters, isLedgerBehind, now }: CounterReaderOptions, windows: Window[]) {
  const day = utcDay(now());
  // Check this before sending the statement. Then its snapshot contains every amount that is settled by now.
  const isComplete = !isLedgerBehind();
  const marks = windows.map((window): Mark => {
    rollOver(window, day);
    // After a clock was set back, only a read knows what was spent in the earlier period.
    window.sinceDay = periodStart(window.interval, day);
    return { window, sinceDay: window.sinceDay, recent: { ...window.recent } };
  });
  const answers = await counters.read(
    marks.map(({ window, sinceDay }) => ({ payer: window.payer.kind, id: window.payer.id, sinceDay })),
  );
  for (const [index, mark] of marks.entries()) take(mark, answers[index], isComplete);
}

function take(
  { window, sinceDay, recent }: Mark,
  answer: PayerCounters | undefined,
  isComplete: boolean,
): void {
  if (answer === undefined) throw new Error('a question without its answer');
  // A new period began during the read, so the spending that was read belongs to the period that has ended. Keep the
  // rest of the answer.
  if (window.sinceDay !== sinceDay) {
    window.counters = { ...answer, spent: { usage: 0n, byok: 0n } };
    return;
  }
  window.counters = answer;
  if (!isComplete) return;
  window.recent.usage -= recent.usage;
  window.recent.byok -= recent.byok;
}
