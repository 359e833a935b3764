import type { EndpointHealth, Percentiles } from '../../domain/routing.ts';

/** What became of one call of an endpoint. */
export interface CallOutcome {
  ok: boolean;
  latencyMs?: number;
  /** Tokens a second while it answered. */
  throughput?: number;
}

/** How endpoints are doing, from this process's own calls. */
export interface EndpointHealthBoard {
  record(endpointId: string, outcome: CallOutcome): void;
  of(endpointId: string): EndpointHealth | undefined;
}

export interface BreakerOptions {
  /** Calls before a failure rate means anything. */
  minimumCalls?: number;
  /** Of the calls in the window; from here on the circuit is open. */
  failureRate?: number;
  windowMs?: number;
  /** How long an open circuit is left alone. One more failure after it opens it again. */
  cooldownMs?: number;
  now?: () => number;
}

interface Board {
  windowStartMs: number;
  calls: number;
  failures: number;
  openUntilMs: number;
  /** The circuit was open: what comes next decides. */
  probing: boolean;
  latencySeconds: Samples;
  throughput: Samples;
}

/**
 * A circuit per endpoint: when too many of its calls fail it is skipped for a while, then tried again. Failures
 * are counted in windows, so that old trouble is forgotten.
 */
export function createEndpointHealth(options: BreakerOptions = {}): EndpointHealthBoard {
  const { minimumCalls = 10, failureRate = 0.5, windowMs = 30_000, cooldownMs = 30_000 } = options;
  const now = options.now ?? Date.now;
  const boards = new Map<string, Board>();

  const boardOf = (endpointId: string): Board => {
    let board = boards.get(endpointId);
    if (board === undefined) {
      board = newBoard(now());
      boards.set(endpointId, board);
    }
    return board;
  };

  return {
    record(endpointId, { ok, latencyMs, throughput }) {
      const board = boardOf(endpointId);
      const nowMs = now();
      if (nowMs - board.windowStartMs >= windowMs) startWindow(board, nowMs);
      board.calls += 1;
      if (latencyMs !== undefined) board.latencySeconds.add(latencyMs / 1_000);
      if (throughput !== undefined) board.throughput.add(throughput);
      if (ok) {
        board.probing = false;
        return;
      }
      board.failures += 1;
      const tooMany = board.calls >= minimumCalls && board.failures / board.calls >= failureRate;
      if (!tooMany && !(board.probing && nowMs >= board.openUntilMs)) return;
      board.openUntilMs = nowMs + cooldownMs;
      board.probing = true;
      startWindow(board, nowMs);
    },
    of(endpointId) {
      const board = boards.get(endpointId);
      if (board === undefined) return undefined;
      return {
        open: now() < board.openUntilMs,
        latencySeconds: board.latencySeconds.percentiles(),
        throughput: board.throughput.percentiles(),
      };
    },
  };
}

function newBoard(nowMs: number): Board {
  return {
    windowStartMs: nowMs,
    calls: 0,
    failures: 0,
    openUntilMs: 0,
    probing: false,
    latencySeconds: new Samples(),
    throughput: new Samples(),
  };
}

function startWindow(board: Board, nowMs: number): void {
  board.windowStartMs = nowMs;
  board.calls = 0;
  board.failures = 0;
}

const KEPT = 200;
const FEW = 5;
/** Sorting two hundred numbers for every request would show in a profile. */
const SORTED_EVERY = 20;

/** The last measurements. Too few say nothing. */
class Samples {
  readonly #values: number[] = [];
  #next = 0;
  #untold = 0;
  #told: Percentiles | null = null;

  add(value: number): void {
    this.#values[this.#next] = value;
    this.#next = (this.#next + 1) % KEPT;
    this.#untold += 1;
  }

  percentiles(): Percentiles | null {
    const { length } = this.#values;
    if (length < FEW) return null;
    if (this.#told !== null && this.#untold < SORTED_EVERY) return this.#told;
    const sorted = this.#values.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(length - 1, Math.floor(share * length))]!;
    this.#untold = 0;
    this.#told = { p50: at(0.5), p75: at(0.75), p90: at(0.9), p99: at(0.99) };
    return this.#told;
  }
}
