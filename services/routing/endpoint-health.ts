/** Measures the speed and failures of endpoints in this process, and opens the circuit of a failing one. */
import type { EndpointHealth } from '../../domain/routing/routing.ts';
import { Samples } from './samples.ts';

/** The outcome of one call of an endpoint. */
export interface CallOutcome {
  ok: boolean;
  latencyMs?: number;
  /** Tokens a second while the endpoint answered. */
  throughput?: number | undefined;
}

export interface BreakerOptions {
  /** The smallest number of calls in a window for which the failure rate counts. */
  minimumCalls?: number;
  /** The share of failed calls in the window at which the circuit opens. */
  failureRate?: number;
  windowMs?: number;
  /** The time for which an open circuit is skipped. The next call after it opens the circuit again if it fails. */
  cooldownMs?: number;
  /** The time after which measurements and failures no longer count. */
  forgetAfterMs?: number;
  /** Called when a circuit opens, with the time for which it stays open. Must not throw. */
  onOpen?: (circuitId: string, forMs: number) => void;
  now?: () => number;
}

const TRIED_EVERY = 20;

interface Board {
  windowStartMs: number;
  calls: number;
  failures: number;
  openUntilMs: number;
  /** True when the circuit was open, so that the next call decides. */
  probing: boolean;
  lastCallAtMs: number;
  latencySeconds: Samples;
  throughput: Samples;
}

interface KnownBoards {
  forgetAfterMs: number;
  now(): number;
  boards: Map<string, Board>;
  sweptAtMs: number;
}

/**
 * Creates a circuit per endpoint. When too many of an endpoint's calls fail, requests skip it for a while and then try
 * it again. Failures are counted in windows, so that old ones stop counting. Measurements expire, and an endpoint
 * without calls for a while starts without any.
 */
export function createEndpointHealth(options: BreakerOptions = {}) {
  const { minimumCalls = 10, failureRate = 0.5, windowMs = 30_000, cooldownMs = 30_000 } = options;
  const { forgetAfterMs = 300_000, onOpen, now = Date.now } = options;

  const known: KnownBoards = { forgetAfterMs, now, boards: new Map<string, Board>(), sweptAtMs: now() };
  let requests = 0;

  return {
    record(circuitId: string, { ok, latencyMs, throughput }: CallOutcome): void {
      const board = boardOf(known, circuitId);
      const nowMs = now();
      if (nowMs - board.windowStartMs >= windowMs) startWindow(board, nowMs);
      if (nowMs - board.lastCallAtMs >= forgetAfterMs) board.probing = false;
      board.lastCallAtMs = nowMs;
      board.calls += 1;
      if (latencyMs !== undefined) board.latencySeconds.add(latencyMs / 1_000, nowMs);
      if (throughput !== undefined) board.throughput.add(throughput, nowMs);
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
      onOpen?.(circuitId, cooldownMs);
    },
    of(circuitId: string): EndpointHealth | undefined {
      const board = known.boards.get(circuitId);
      if (board === undefined) return undefined;
      const nowMs = now();
      return {
        open: nowMs < board.openUntilMs,
        // Percentiles are computed when they are read: most requests need only the circuit.
        get latencySeconds() {
          return board.latencySeconds.percentiles(nowMs);
        },
        get throughput() {
          return board.throughput.percentiles(nowMs);
        },
      };
    },
    /** Returns whether the circuit is open. Requests then go to other endpoints while there are any. */
    isOpen: (circuitId: string): boolean => now() < (known.boards.get(circuitId)?.openUntilMs ?? 0),
    /** Returns whether this request should try unmeasured endpoints first. True for one request in twenty. */
    isTrial(): boolean {
      requests = (requests + 1) % TRIED_EVERY;
      return requests === 0;
    },
  };
}

/** Measures endpoints by the calls of this process. `circuitOf` returns the circuit id of a target. */
export type EndpointHealthBoard = ReturnType<typeof createEndpointHealth>;

/**
 * Removes circuits without recent calls. Customers' credentials have their own circuits, which get no calls once a
 * credential is deleted.
 */
function sweep(known: KnownBoards): void {
  const nowMs = known.now();
  if (nowMs - known.sweptAtMs < known.forgetAfterMs) return;
  known.sweptAtMs = nowMs;
  for (const [id, { lastCallAtMs }] of known.boards) {
    if (nowMs - lastCallAtMs >= known.forgetAfterMs) known.boards.delete(id);
  }
}

function boardOf(known: KnownBoards, circuitId: string): Board {
  let board = known.boards.get(circuitId);
  if (board === undefined) {
    sweep(known);
    board = newBoard(known.now(), known.forgetAfterMs);
    known.boards.set(circuitId, board);
  }
  return board;
}

function newBoard(nowMs: number, forgetAfterMs: number): Board {
  return {
    windowStartMs: nowMs,
    calls: 0,
    failures: 0,
    openUntilMs: 0,
    probing: false,
    lastCallAtMs: nowMs,
    latencySeconds: new Samples(forgetAfterMs),
    throughput: new Samples(forgetAfterMs),
  };
}

function startWindow(board: Board, nowMs: number): void {
  board.windowStartMs = nowMs;
  board.calls = 0;
  board.failures = 0;
}
