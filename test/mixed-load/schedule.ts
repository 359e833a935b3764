/** One fault: what it hits, how, when, and for how long. */
export interface Fault {
  /** Milliseconds from the start. A fault waits for the one before it in its lane. */
  atMs: number;
  target: 'the API' | 'an API process' | 'a worker' | 'Postgres' | 'Temporal';
  /** The number of the API process or of the worker, from 1. */
  index: number;
  act: 'kill' | 'pause' | 'refusal' | 'silence';
  /** How long the target stays down, paused or unreachable. */
  forMs: number;
}

export const API_PROCESSES = 2;
export const WORKERS = 2;

type Choice = Pick<Fault, 'target' | 'act'> & { among?: number };

/** Faults of the product's own processes. */
const PROCESS_FAULTS: Choice[] = [
  { target: 'the API', act: 'kill' },
  { target: 'an API process', act: 'kill', among: API_PROCESSES },
  { target: 'an API process', act: 'pause', among: API_PROCESSES },
  { target: 'a worker', act: 'kill', among: WORKERS },
  { target: 'a worker', act: 'pause', among: WORKERS },
];

/** Faults of the servers that the product needs, and of the network between. */
const SERVER_FAULTS: Choice[] = [
  { target: 'Postgres', act: 'kill' },
  { target: 'Postgres', act: 'refusal' },
  { target: 'Postgres', act: 'silence' },
  { target: 'Temporal', act: 'refusal' },
  { target: 'Temporal', act: 'silence' },
];

const SHORTEST_MS = 300;
const LONGEST_MS = 5_000;
/** Between two faults of a lane, so that the load goes on for a while. */
const SHORTEST_GAP_MS = 500;
const LONGEST_GAP_MS = 4_000;

/**
 * Returns two lanes of faults that run side by side, so that a process may die while Postgres is away. A seed gives
 * the same lanes every time; with more minutes they begin alike and go on.
 */
export function makeSchedule(seed: number, minutes: number): Fault[][] {
  return [PROCESS_FAULTS, SERVER_FAULTS].map((choices, lane) =>
    makeLane(choices, randomNumbers(seed * 2 + lane), minutes * 60_000),
  );
}

function makeLane(choices: Choice[], random: () => number, endMs: number): Fault[] {
  const between = (low: number, high: number): number => Math.round(low + random() * (high - low));
  const faults: Fault[] = [];
  let atMs = between(SHORTEST_GAP_MS, LONGEST_GAP_MS);
  for (;;) {
    const { target, act, among = 1 } = choices[Math.floor(random() * choices.length)]!;
    const index = 1 + Math.floor(random() * among);
    const forMs = between(SHORTEST_MS, LONGEST_MS);
    if (atMs + forMs > endMs) return faults;
    faults.push({ atMs, target, index, act, forMs });
    atMs += forMs + between(SHORTEST_GAP_MS, LONGEST_GAP_MS);
  }
}

/** Mulberry32: small, even enough for choices, and the same on every machine. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
