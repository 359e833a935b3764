/**
 * Runs the pump of one destination, which reads the broadcast log and delivers it until it is idle, stopped or must
 * wait.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createDeadLetterStore } from '../../../db/broadcast/dead-letter-store.ts';
import {
  createDeliveryStore,
  CursorMovedError,
  type DeliveryProgress,
} from '../../../db/broadcast/delivery-store.ts';
import type { LogPosition } from '../../../db/broadcast/log-position.ts';
import { createLogReadModel } from '../../../db/broadcast/log-read-model.ts';
import { createUndecidedStore, type LateEntry } from '../../../db/broadcast/undecided-store.ts';
import { DeliveryInterruptedError } from './deliver-batch.ts';
import { createDeliveryRound } from './delivery-round.ts';
import type { OpenDestination } from './open-destination.ts';
import type { PumpDeps, PumpResult, PumpSignals, PumpTimes } from './pump-types.ts';

/** The interval at which a pump updates its row, which shows that it is alive, and counts its backlog. */
const TOUCH_EVERY_MS = 3_000;

/** The number of dead letters in a batch, which are read with their content. */
const DEAD_LETTERS_PER_BATCH = 20;

/** The number of generations in a batch whose content came late. */
const LATE_PER_BATCH = 100;

const DEAD_LETTERS_WAIT = 'Dead letters could not be sent again.';

/** The outcome of one reading of the log. */
type Step = PumpResult | 'go_on' | 'caught_up' | 'nothing';

interface RunningPump {
  deps: PumpDeps;
  destinationId: string;
  times: PumpTimes;
  signals: PumpSignals;
  log: ReturnType<typeof createLogReadModel>;
  store: ReturnType<typeof createDeliveryStore>;
  isOver(): boolean;
  startedAtMs: number;
  /** True: another destination waits for a pump, and this one has had its turn. */
  isTurnOver: boolean;
  /** The position up to which the pump has read each shard of the log. */
  cursors: Map<number, LogPosition>;
  newsAtMs: number;
  touchedAtMs: number;
  /** The time from which dead letters and late generations may be sent. */
  othersDueAtMs: number;
  /** The number of generations that this run has delivered. */
  delivered: number;
  /** The number of generations that wait. */
  behind: number;
}

/**
 * Sends the log of a destination's workspace to its tool, batch by batch. A crash at any point repeats the batch
 * under way, so a generation arrives at least once. Rejects during an outage of Postgres.
 */
export async function runPump(
  deps: PumpDeps,
  destinationId: string,
  times: PumpTimes,
  signals: PumpSignals,
): Promise<PumpResult> {
  const pump = await openPump(deps, destinationId, times, signals);
  await touch(pump);
  deps.wakeNext();
  try {
    return await pumpUntilOver(pump);
  } finally {
    deps.wakeNext();
  }
}

async function pumpUntilOver(pump: RunningPump): Promise<PumpResult> {
  const { deps, destinationId, times } = pump;
  for (;;) {
    if (pump.isOver()) return { kind: 'handed_over' };
    const beganAtMs = deps.now();
    await touch(pump);
    const destination = await deps.findDestination(destinationId);
    const progress = await pump.store.progress(destinationId);
    if (destination === null || progress === null) {
      // Mark the destination as idle, so that new generations wake it if it is enabled again.
      await pump.store.markIdle(destinationId);
      return { kind: 'stopped' };
    }
    const { organizationId, workspaceId } = destination.settings;
    if ((await hasHadTurn(pump, organizationId)) && (await endTurn(pump))) return { kind: 'idle' };
    const step = await deliverNext(pump, destination, progress).catch(stepAfter);
    if (typeof step === 'object') return step;
    if (step !== 'nothing') pump.newsAtMs = deps.now();
    const mayIdle = step === 'nothing' && !progress.hasUndecided;
    if (mayIdle && deps.now() - pump.newsAtMs >= times.idleMs) {
      const waitMs = pump.othersDueAtMs - deps.now();
      if (progress.hasReplays && waitMs > 0) {
        return { kind: 'back_off', state: 'backing_off', waitMs, reason: DEAD_LETTERS_WAIT, behind: 0 };
      }
      if (await becomeIdle(pump)) return { kind: 'idle' };
      continue;
    }
    if (step === 'go_on') continue;
    // Wait for more generations: a batch for each one would load Postgres and this process.
    if (step === 'caught_up') {
      const leftMs = beganAtMs + times.paceMs - deps.now();
      if (leftMs > 0) await delay(leftMs, undefined, { signal: pump.signals.stopRequested }).catch(() => {});
    }
    await waitForNews(pump, workspaceId);
  }
}

async function openPump(
  deps: PumpDeps,
  destinationId: string,
  times: PumpTimes,
  signals: PumpSignals,
): Promise<RunningPump> {
  const log = createLogReadModel(deps.knex);
  const startedAtMs = deps.now();
  const cursors = await log.cursors(destinationId);
  return {
    deps,
    destinationId,
    times,
    signals,
    log,
    store: createDeliveryStore(deps.knex),
    isOver: () => signals.stopRequested.aborted || deps.now() - startedAtMs >= times.runMs,
    startedAtMs,
    isTurnOver: false,
    cursors: new Map(cursors.map((cursor) => [cursor.shard, cursor])),
    newsAtMs: deps.now(),
    touchedAtMs: -Infinity,
    othersDueAtMs: -Infinity,
    delivered: 0,
    behind: 0,
  };
}

function report(pump: RunningPump, doing: string): void {
  pump.signals.report({ doing, delivered: pump.delivered, behind: pump.behind });
}

/** Returns whether another destination is to begin in place of this one. */
async function hasHadTurn(pump: RunningPump, organizationId: string): Promise<boolean> {
  const { deps, times, startedAtMs } = pump;
  if (deps.now() - startedAtMs < times.turnMs) return false;
  pump.isTurnOver ||= await deps.turns.mustEnd(organizationId);
  return pump.isTurnOver;
}

/** Makes the destination wait for its next turn. Returns false while it recovers from failures. */
async function endTurn(pump: RunningPump): Promise<boolean> {
  pump.isTurnOver = false;
  return pump.store.endTurn(pump.destinationId);
}

/**
 * Records that the pump is alive, and counts its backlog. It runs before the destination is opened, because a pump that
 * fails to do so would seem idle.
 */
async function touch(pump: RunningPump): Promise<void> {
  if (pump.deps.now() - pump.touchedAtMs < TOUCH_EVERY_MS) return;
  await pump.store.touch(pump.destinationId);
  pump.behind = await pump.log.backlog(pump.destinationId);
  pump.touchedAtMs = pump.deps.now();
}

async function deliverNext(
  pump: RunningPump,
  destination: OpenDestination,
  progress: DeliveryProgress,
): Promise<Step> {
  const { organizationId, workspaceId } = destination.settings;
  const round = createDeliveryRound({
    deps: pump.deps,
    times: pump.times,
    signals: pump.signals,
    destination,
    record: { deps: pump.deps, settings: destination.settings, progress },
    cursors: pump.cursors,
    mustEnd: async () => pump.isOver() || hasHadTurn(pump, organizationId),
    report: (doing) => report(pump, doing),
    delivered: (count) => (pump.delivered += count),
  });
  // A failed batch is repeated before generations from outside of the log are sent.
  const areOthersDue = progress.failedBatch === null && pump.deps.now() >= pump.othersDueAtMs;
  const deadLetters =
    areOthersDue && progress.hasReplays
      ? await createDeadLetterStore(pump.deps.knex).requested(pump.destinationId, DEAD_LETTERS_PER_BATCH)
      : [];
  const late = areOthersDue && progress.hasUndecided ? await readLate(pump) : [];
  const source = { destinationId: pump.destinationId, workspaceId };
  const { entries, hasMore } = await pump.log.next(source, destination.limits.events, progress.failedBatch);
  if (entries.length === 0 && progress.failedBatch !== null) {
    // The entries of the failed batch have left the log. The next batch begins behind them.
    await pump.store.skip(pump.destinationId);
    return 'go_on';
  }
  const others = deadLetters.length + late.length;
  if (others === 0 && entries.length === 0) return 'nothing';
  const othersHalt =
    (deadLetters.length > 0 ? await round.deadLetters(deadLetters) : undefined) ??
    (late.length > 0 ? await round.late(late) : undefined);
  if (othersHalt !== undefined) pump.othersDueAtMs = pump.deps.now() + othersHalt.waitMs;
  // What the tool does not accept now of these must not delay the log.
  const goesOn = entries.length > 0 && othersHalt?.isDisabled !== true;
  const halt = goesOn ? await round.entries(entries) : othersHalt;
  if (halt === undefined) return hasMore || others > 0 ? 'go_on' : 'caught_up';
  if (halt.isDisabled) return { kind: 'stopped' };
  const { state, waitMs, reason } = halt;
  return { kind: 'back_off', state, waitMs, reason, behind: await pump.log.backlog(pump.destinationId) };
}

/** Returns generations whose content has come. Gives up those that have waited too long. */
async function readLate(pump: RunningPump): Promise<LateEntry[]> {
  const undecided = createUndecidedStore(pump.deps.knex);
  const late = await undecided.decidable(pump.destinationId, LATE_PER_BATCH);
  if (late.length === 0) await undecided.forgetOlderThan(pump.destinationId, pump.times.lateContentMs);
  return late;
}

async function waitForNews(pump: RunningPump, workspaceId: string): Promise<void> {
  pump.behind = 0;
  report(pump, 'waits for generations');
  const seen = [...pump.cursors.values()].reduce((sum, { pos }) => sum + pos, 0n);
  await pump.deps.logWatch.wait(workspaceId, seen, pump.times.checkMs, pump.signals.stopRequested);
}

/** Marks the destination as idle. Returns false when the log has grown meanwhile, so that the pump must go on. */
async function becomeIdle(pump: RunningPump): Promise<boolean> {
  await pump.store.markIdle(pump.destinationId);
  pump.touchedAtMs = -Infinity;
  pump.newsAtMs = pump.deps.now();
  // A writer that committed before the mark does not wake this destination, so check the log again.
  return !(await pump.log.isBehind(pump.destinationId));
}

function stepAfter(error: unknown): Step {
  if (error instanceof DeliveryInterruptedError) return 'go_on';
  // Another attempt of the run still works, or an hour of the log was dropped. The next pump reads the cursors again.
  if (error instanceof CursorMovedError) return { kind: 'handed_over' };
  throw error;
}
