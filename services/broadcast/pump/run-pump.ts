import { createDeadLetterStore } from '../../../db/broadcast/dead-letter-store.ts';
import { createDeliveryStore, CursorMovedError } from '../../../db/broadcast/delivery-store.ts';
import { createLogReadModel } from '../../../db/broadcast/log-read-model.ts';
import type { Handle } from '../../../db/connection.ts';
import { composeSpan } from '../../../domain/broadcast/compose-span.ts';
import { spanIdsOf } from '../span-ids.ts';
import { createBatchRecord, type RecordDeps } from './batch-record.ts';
import {
  type BatchSource,
  createLogSource,
  type Item,
  LETTER_SOURCE,
  type ReplayedLetter,
} from './batch-source.ts';
import { deliverBatch, type Halt } from './deliver-batch.ts';
import type { News } from './news.ts';
import type { OpenDestination } from './open-destination.ts';
import { prepareEntries } from './prepare-entries.ts';

/** How a pump ended. */
export type PumpResult =
  /** Nothing has come for a while. The destination's row says so: whoever adds to its log wakes it. */
  | { kind: 'idle' }
  /** Its time is over, or the worker stops: another one goes on at once. */
  | { kind: 'handed_over' }
  | { kind: 'back_off'; state: Halt['state']; waitMs: number; reason: string }
  /** The destination is deleted or disabled. */
  | { kind: 'stopped' };

export interface PumpDeps extends RecordDeps {
  knex: Handle;
  news: News;
  /** Returns null for a destination that is deleted or disabled. Reads the settings each time. */
  findDestination(id: string): Promise<OpenDestination | null>;
}

export interface PumpTimes {
  /** How long one pump runs. */
  runMs: number;
  /** How long it waits for a generation before it ends. */
  idleMs: number;
  /** How often it looks at its settings while it waits. */
  lookMs: number;
}

/** What the pump does at the moment, for people who watch it. */
export interface PumpReport {
  doing: string;
  delivered: number;
}

export interface PumpSignals {
  /** The pump ends after the batch under way. */
  stopRequested: AbortSignal;
  /** The batch under way is cut. */
  cut: AbortSignal;
  report(report: PumpReport): void;
}

const LETTERS_A_BATCH = 50;

/**
 * Sends the log of a destination's workspace to its tool, batch by batch. A crash at any place repeats the batch under way:
 * a generation arrives at least once. Rejects when Postgres is away.
 */
export async function runPump(
  deps: PumpDeps,
  destinationId: string,
  times: PumpTimes,
  signals: PumpSignals,
): Promise<PumpResult> {
  const log = createLogReadModel(deps.knex);
  const store = createDeliveryStore(deps.knex);
  const endsAtMs = deps.now() + times.runMs;
  const cursors = new Map((await log.cursors(destinationId)).map((cursor) => [cursor.shard, cursor]));
  let newsAtMs = deps.now();
  let delivered = 0;

  for (;;) {
    if (signals.stopRequested.aborted || deps.now() >= endsAtMs) return { kind: 'handed_over' };
    const destination = await deps.findDestination(destinationId);
    const progress = await store.progress(destinationId);
    if (destination === null || progress === null) return { kind: 'stopped' };
    await store.touch(destinationId);
    const { organizationId, workspaceId } = destination.settings;
    const record = createBatchRecord(deps, { destinationId, organizationId, workspaceId }, progress);
    const deliver = <I extends Item>(
      source: BatchSource<I>,
      items: readonly I[],
    ): Promise<Halt | undefined> => {
      signals.report({ doing: `sends ${items.length} generations`, delivered });
      const delivery = { destination, source, record, signal: signals.cut, now: deps.now };
      return deliverBatch(delivery, items);
    };

    const letters = await readLetters(deps, destination);
    const entries = await log.next(
      { destinationId, workspaceId },
      destination.limits.events,
      progress.failedBatch,
    );
    if (entries.length === 0 && progress.failedBatch !== null) {
      // The batch that failed is past its time. The next one begins behind it.
      await store.skip(destinationId);
      continue;
    }
    if (letters.length === 0 && entries.length === 0) {
      if (deps.now() - newsAtMs >= times.idleMs) {
        await store.rest(destinationId);
        // Somebody who committed before that has not seen it, and does not wake this destination.
        if (!(await log.isBehind(destinationId))) return { kind: 'idle' };
        newsAtMs = deps.now();
        continue;
      }
      signals.report({ doing: 'waits for generations', delivered });
      const seen = [...cursors.values()].reduce((sum, { pos }) => sum + pos, 0n);
      await deps.news.wait(workspaceId, seen, times.lookMs, signals.stopRequested);
      continue;
    }
    newsAtMs = deps.now();
    try {
      const halt =
        (letters.length > 0 ? await deliver(LETTER_SOURCE, letters) : undefined) ??
        (entries.length > 0
          ? await deliver(
              createLogSource(destinationId, cursors),
              await prepareEntries(entries, destination.spanRules),
            )
          : undefined);
      if (halt?.isDisabled) return { kind: 'stopped' };
      if (halt !== undefined)
        return { kind: 'back_off', state: halt.state, waitMs: halt.waitMs, reason: halt.reason };
      delivered += letters.length + entries.length;
    } catch (error) {
      // Another pump of the destination has taken over.
      if (error instanceof CursorMovedError) return { kind: 'stopped' };
      throw error;
    }
  }
}

/** Returns dead letters that somebody wants sent again: filters that were edited since then do not count. */
async function readLetters(deps: PumpDeps, destination: OpenDestination): Promise<ReplayedLetter[]> {
  const letters = createDeadLetterStore(deps.knex);
  const asked = await letters.requested(destination.settings.id, LETTERS_A_BATCH);
  const { rules } = destination.spanRules;
  return asked.map(({ id, event }) => ({
    letterId: id,
    event,
    span: event && composeSpan(event, rules, spanIdsOf(event)),
  }));
}
