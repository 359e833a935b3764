/** Compares the throughput, delay and processor time of the product with a reference. */
import { cpuByProgram, cpuOfTree } from '../cpu.ts';
import { median, renderTable, spread } from '../table.ts';
import { type LoadResult, loadSockets } from './socket-load.ts';

/** A server and the request that the benchmark sends to it. */
export interface Side {
  origin: string;
  pid: number;
  /** The whole request, head and body. */
  request: Buffer;
}

export interface Pair {
  name: string;
  connections: number;
  product: Side;
  reference: Side;
}

/** Something that a server does in a round, such as answering requests or completing jobs. */
export interface Work {
  /** The processes whose processor time counts. */
  pids: number[];
  run(seconds: number): Promise<{ perSecond: number; requests: number }>;
}

export interface ComparisonOptions {
  /** The seconds of one round. */
  seconds: number;
  /** The pairs of rounds for each row. */
  rounds: number;
  /** The name of the reference in the tables. */
  referenceName: string;
}

/** Measures pairs in alternating rounds, and collects the tables. */
export interface Comparison {
  /** Measures answers per second at full load. `bar` is the least acceptable ratio. */
  throughput(pair: Pair, bar: number): Promise<void>;
  /** Measures work of another kind in the same rounds and tables. */
  work(name: string, sides: Record<'product' | 'reference', Work>, bar: number): Promise<void>;
  /**
   * Measures the delay that the product adds at half of its own throughput, where no request waits in a queue, and the
   * processor time of both sides at that rate. A process that sleeps between requests costs several times as much a
   * request as a busy one, so only times at the same rate are comparable.
   */
  delay(pair: Pair): Promise<void>;
  render(): string;
}

/** The time until the compiler has optimized the code. */
const WARM_UP_SECONDS = 15;

export function createComparison(options: ComparisonOptions): Comparison {
  const { seconds, rounds, referenceName } = options;
  const rows: Row[] = [];
  const delays: string[][] = [];

  const work: Comparison['work'] = async (name, sides, bar) => {
    const results = { product: [] as Round[], reference: [] as Round[] };
    for (const side of ['reference', 'product'] as const) await sides[side].run(WARM_UP_SECONDS);
    for (let n = 1; n <= rounds; n += 1) {
      const order = n % 2 === 1 ? (['product', 'reference'] as const) : (['reference', 'product'] as const);
      for (const side of order) results[side].push(await measureRound(sides[side], seconds));
    }
    const ratios = results.product.map(({ perSecond }, i) => perSecond / results.reference[i]!.perSecond);
    process.stdout.write(`${name}: ${median(ratios).toFixed(2)}\n`);
    rows.push({ name, bar, ...results });
  };

  return {
    work,

    throughput({ name, connections, product, reference }, bar) {
      const answering = (side: Side): Work => ({
        pids: [side.pid],
        run: (length) => loadSide(side, connections, length),
      });
      return work(name, { product: answering(product), reference: answering(reference) }, bar);
    },

    async delay(pair) {
      const { connections } = pair;
      await loadSide(pair.reference, connections, WARM_UP_SECONDS);
      const perSecond = (await loadSide(pair.product, connections, WARM_UP_SECONDS)).perSecond / 2;
      const added = { firstByte: [] as number[], whole: [] as number[] };
      const micros = { product: [] as number[], reference: [] as number[] };
      const measure = async (side: 'product' | 'reference'): Promise<LoadResult> => {
        const before = costSoFar([pair[side].pid]).serverMs;
        const result = await loadSide(pair[side], connections, seconds, perSecond);
        const serverMs = costSoFar([pair[side].pid]).serverMs - before;
        micros[side].push((serverMs / result.requests) * 1_000);
        return result;
      };
      for (let n = 1; n <= rounds; n += 1) {
        const reference = await measure('reference');
        const product = await measure('product');
        added.firstByte.push(at(product.firstByteMs, 0.5) - at(reference.firstByteMs, 0.5));
        added.whole.push(at(product.wholeMs, 0.99) - at(reference.wholeMs, 0.99));
      }
      process.stdout.write(`${pair.name}: ${median(added.firstByte).toFixed(2)} ms to the first byte\n`);
      delays.push(
        [`${pair.name}: added to the first byte, p50, ms`, ...spread(added.firstByte, 2)],
        [`${pair.name}: added to the whole, p99, ms`, ...spread(added.whole, 2)],
        [`${pair.name}: processor time, µs a request`, ...spread(micros.product, 0)],
        [`the same of ${referenceName}`, ...spread(micros.reference, 0)],
      );
    },

    render: () => renderTables(options, rows, delays),
  };
}

function loadSide(side: Side, connections: number, seconds: number, perSecond?: number): Promise<LoadResult> {
  return loadSockets({
    origin: side.origin,
    request: side.request,
    connections,
    durationMs: seconds * 1_000,
    perSecond,
  });
}

function renderTables(
  { seconds, rounds, referenceName }: ComparisonOptions,
  rows: readonly Row[],
  delays: string[][],
): string {
  if (rows.length === 0) return '';
  return [
    `${rounds} rounds of ${seconds} s`,
    renderTable(
      ['', 'min', 'median', 'max', 'bar'],
      rows.flatMap((row) => ratesOf(row, referenceName)),
    ),
    'Processor time, median, µs a request',
    renderTable(['', 'API', 'its Postgres', referenceName], rows.map(costsOf)),
    ...(delays.length === 0
      ? []
      : ['At half of saturation', renderTable(['', 'min', 'median', 'max'], delays)]),
  ].join('\n\n');
}

interface Row {
  name: string;
  bar: number;
  product: Round[];
  reference: Round[];
}

function ratesOf({ name, bar, product, reference }: Row, referenceName: string): string[][] {
  const rateOf = (rounds: Round[]): string[] =>
    spread(
      rounds.map(({ perSecond }) => perSecond),
      0,
    );
  const ratios = product.map(({ perSecond }, i) => perSecond / reference[i]!.perSecond);
  return [
    [`${name}: product/s`, ...rateOf(product), ''],
    [`${referenceName}/s`, ...rateOf(reference), ''],
    ['ratio', ...spread(ratios, 2), bar.toFixed(2)],
  ];
}

function costsOf({ name, product, reference }: Row): string[] {
  const middle = (rounds: Round[], of: (round: Round) => number): string => median(rounds.map(of)).toFixed(0);
  return [
    name,
    middle(product, (round) => round.serverMicros),
    middle(product, (round) => round.postgresMicros),
    middle(reference, (round) => round.serverMicros),
  ];
}

interface Round {
  perSecond: number;
  serverMicros: number;
  postgresMicros: number;
}

async function measureRound({ pids, run }: Work, seconds: number): Promise<Round> {
  const before = costSoFar(pids);
  const { perSecond, requests } = await run(seconds);
  const after = costSoFar(pids);
  return {
    perSecond,
    serverMicros: ((after.serverMs - before.serverMs) / requests) * 1_000,
    postgresMicros: ((after.postgresMs - before.postgresMs) / requests) * 1_000,
  };
}

function costSoFar(pids: number[]) {
  return {
    serverMs: pids.reduce((sum, pid) => sum + (cpuOfTree(pid) ?? 0), 0),
    postgresMs: cpuByProgram()?.['postgres'] ?? 0,
  };
}

function at(ascending: number[], share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(share * ascending.length))]!;
}
