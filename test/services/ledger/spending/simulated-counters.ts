import type { CounterQuery } from '../../../../db/ledger/payer-counters.ts';
import type { PayerCounters } from '../../../../domain/ledger/spending-limit.ts';
import type { PayerKind } from '../../../../domain/ceiling.ts';

/** A committed row of the ledger. */
export interface Row {
  key: number;
  organization: string;
  workspace: string;
  usage: bigint;
  byok: bigint;
  day: number;
}

export interface OpenRead {
  /** What the statement will answer, once it has its snapshot. */
  answers: PayerCounters[] | undefined;
  queries: CounterQuery[];
  resolve(answers: PayerCounters[]): void;
  reject(error: Error): void;
}

/** What Postgres is to the counters: committed rows, open jobs, and statements that see one moment of them. */
export function createSimulatedPostgres() {
  const rows: Row[] = [];
  const jobs: Row[] = [];
  let creditNanos = 0n;

  const sumOf = (list: Row[], kind: PayerKind, id: number | string, sinceDay: number | null) => {
    const mine = list.filter((row) => row[kind] === id && (sinceDay === null || row.day >= sinceDay));
    return {
      usage: mine.reduce((sum, { usage }) => sum + usage, 0n),
      byok: mine.reduce((sum, { byok }) => sum + byok, 0n),
    };
  };

  return {
    rows,
    jobs,
    addCredit(nanos: bigint): void {
      creditNanos += nanos;
    },
    /** All the questions as of now. */
    answer: (queries: CounterQuery[]): PayerCounters[] =>
      queries.map(({ payer, id, sinceDay }) => ({
        spent: sumOf(rows, payer, id, sinceDay),
        open: sumOf(jobs, payer, id, null),
        creditNanos: payer === 'organization' ? creditNanos : 0n,
      })),
  };
}

export type SimulatedPostgres = ReturnType<typeof createSimulatedPostgres>;

/** Reads that stay under way until the test takes their snapshot and delivers it. */
export function createHeldReads({ answer }: SimulatedPostgres) {
  const open: OpenRead[] = [];
  let counted = 0;
  return {
    open,
    /** How many there were in all. */
    count: () => counted,
    counters: {
      read(queries: CounterQuery[]): Promise<PayerCounters[]> {
        const { promise, resolve, reject } = Promise.withResolvers<PayerCounters[]>();
        open.push({ queries, answers: undefined, resolve, reject });
        counted += 1;
        return promise;
      },
    },
    snapshot(): void {
      const [first] = open;
      if (first !== undefined) first.answers ??= answer(first.queries);
    },
    deliver(): void {
      const first = open.shift();
      first?.resolve(first.answers ?? answer(first.queries));
    },
    fail(): void {
      open.shift()?.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
    },
  };
}

/** Until everything that waits for no read has happened. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
