import { setTimeout as delay } from 'node:timers/promises';
import { createDeadLetterStore } from '../../../db/broadcast/dead-letter-store.ts';
import {
  createDeliveryStore,
  CursorMovedError,
  type DeliveryProgress,
} from '../../../db/broadcast/delivery-store.ts';
import { createLogReadModel } from '../../../db/broadcast/log-read-model.ts';
import { createBatchRecord } from './batch-record.ts';
import { DeliveryInterruptedError } from './deliver-batch.ts';
import { createDeliveryRound } from './delivery-round.ts';
import type { OpenDestination } from './open-destination.ts';
import type { PumpDeps, PumpResult, PumpSignals, PumpTimes } from './pump-types.ts';

/** The interval at which a pump updates its row, which shows that it is alive, and counts its backlog. */
const TOUCH_EVERY_MS = 3_000;

/** The dead letters in a batch, whose content is read with them. */
const LETTERS_A_BATCH = 20;

const LETTERS_WAIT = 'Dead letters could not be sent again.';

/** The outcome of one reading of the log. */
type Step = PumpResult | 'go_on' | 'caught_up' | 'nothing';

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
  const log = createLogReadModel(deps.knex);
  const store = createDeliveryStore(deps.knex);
  const { stopRequested } = signals;
  const endsAtMs = deps.now() + times.runMs;
  const isOver = (): boolean => stopRequested.aborted || deps.now() >= endsAtMs;
  const cursors = new Map((await log.cursors(destinationId)).map((cursor) => [cursor.shard, cursor]));
  let newsAtMs = deps.now();
  let touchedAtMs = -Infinity;
  let lettersDueAtMs = -Infinity;
  let delivered = 0;
  let behind = 0;
  const report = (doing: string): void => signals.report({ doing, delivered, behind });

  /**
   * Updates the pump's row even when the destination cannot be opened, because the pump would otherwise be taken for
   * an idle one.
   */
  const touch = async (): Promise<void> => {
    if (deps.now() - touchedAtMs < TOUCH_EVERY_MS) return;
    await store.touch(destinationId);
    behind = await log.backlog(destinationId);
    touchedAtMs = deps.now();
  };
  const deliverNext = async (destination: OpenDestination, progress: DeliveryProgress): Promise<Step> => {
    const { workspaceId } = destination.settings;
    const record = createBatchRecord(deps, destination.settings, progress);
    const round = createDeliveryRound({
      deps,
      times,
      signals,
      destination,
      record,
      cursors,
      isOver,
      report,
      delivered: (count) => (delivered += count),
    });
    // A batch that failed is repeated first: it is the older one.
    const areLettersDue =
      progress.hasReplays && progress.failedBatch === null && deps.now() >= lettersDueAtMs;
    const letters = areLettersDue
      ? await createDeadLetterStore(deps.knex).requested(destinationId, LETTERS_A_BATCH)
      : [];
    const source = { destinationId, workspaceId };
    const { entries, hasMore } = await log.next(source, destination.limits.events, progress.failedBatch);
    if (entries.length === 0 && progress.failedBatch !== null) {
      // The batch that failed is past its time. The next one begins behind it.
      await store.skip(destinationId);
      return 'go_on';
    }
    if (letters.length === 0 && entries.length === 0) return 'nothing';
    const lettersHalt = letters.length > 0 ? await round.letters(letters) : undefined;
    if (lettersHalt !== undefined) lettersDueAtMs = deps.now() + lettersHalt.waitMs;
    // Letters that the tool does not take at the moment must not hold up the log.
    const goesOn = entries.length > 0 && lettersHalt?.isDisabled !== true;
    const halt = goesOn ? await round.entries(entries) : lettersHalt;
    if (halt === undefined) return hasMore || letters.length > 0 ? 'go_on' : 'caught_up';
    if (halt.isDisabled) return { kind: 'stopped' };
    const { state, waitMs, reason } = halt;
    return { kind: 'back_off', state, waitMs, reason, behind: await log.backlog(destinationId) };
  };
  const waitForNews = async (workspaceId: string): Promise<void> => {
    behind = 0;
    report('waits for generations');
    const seen = [...cursors.values()].reduce((sum, { pos }) => sum + pos, 0n);
    await deps.news.wait(workspaceId, seen, times.lookMs, stopRequested);
  };
  /** Marks the destination idle. Returns true when no generation was added before that, so that the pump may end. */
  const rest = async (): Promise<boolean> => {
    await store.rest(destinationId);
    touchedAtMs = -Infinity;
    newsAtMs = deps.now();
    // Somebody who committed before that has not seen it, and does not wake this destination.
    return !(await log.isBehind(destinationId));
  };

  for (;;) {
    if (isOver()) return { kind: 'handed_over' };
    const beganAtMs = deps.now();
    await touch();
    const destination = await deps.findDestination(destinationId);
    const progress = await store.progress(destinationId);
    if (destination === null || progress === null) {
      // Enabled again, it must be found by whoever adds to its log.
      await store.rest(destinationId);
      return { kind: 'stopped' };
    }
    const { workspaceId } = destination.settings;
    const step = await deliverNext(destination, progress).catch(stepAfter);
    if (typeof step === 'object') return step;
    if (step !== 'nothing') newsAtMs = deps.now();
    if (step === 'nothing' && deps.now() - newsAtMs >= times.idleMs) {
      const waitMs = lettersDueAtMs - deps.now();
      if (progress.hasReplays && waitMs > 0) {
        return { kind: 'back_off', state: 'backing_off', waitMs, reason: LETTERS_WAIT, behind: 0 };
      }
      if (await rest()) return { kind: 'idle' };
      continue;
    }
    if (step === 'go_on') continue;
    // What trickles in goes together: a batch for each generation would keep Postgres and this process busy.
    if (step === 'caught_up') {
      const leftMs = beganAtMs + times.paceMs - deps.now();
      if (leftMs > 0) await delay(leftMs, undefined, { signal: stopRequested }).catch(() => {});
    }
    await waitForNews(workspaceId);
  }
}

function stepAfter(error: unknown): Step {
  if (error instanceof DeliveryInterruptedError) return 'go_on';
  // Another attempt of the run is still at work, or an hour of the log was dropped. The next pump reads the cursors again.
  if (error instanceof CursorMovedError) return { kind: 'handed_over' };
  throw error;
}
