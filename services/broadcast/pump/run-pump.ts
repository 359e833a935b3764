import { createDeadLetterStore, type DeadLetter } from '../../../db/broadcast/dead-letter-store.ts';
import { createDeliveryStore, CursorMovedError } from '../../../db/broadcast/delivery-store.ts';
import { createLogReadModel, type LogEntry } from '../../../db/broadcast/log-read-model.ts';
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
import type { ContentOrder, ContentSource } from './content-source.ts';
import { deliverBatch, DeliveryInterruptedError, type Halt } from './deliver-batch.ts';
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
  content: ContentSource;
}

export interface PumpTimes {
  /** How long one pump runs. */
  runMs: number;
  /** How long it waits for a generation before it ends. */
  idleMs: number;
  /** How often it looks at its settings while it waits. */
  lookMs: number;
  /** How long after a generation's settlement it waits for content that was announced, and how often it looks for it. */
  contentWaitMs: number;
  contentPollMs: number;
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

/** Their content is read with them. */
const LETTERS_A_BATCH = 20;

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
  const isOver = (): boolean => signals.stopRequested.aborted || deps.now() >= endsAtMs;
  let newsAtMs = deps.now();
  let delivered = 0;

  for (;;) {
    if (isOver()) return { kind: 'handed_over' };
    // First: a pump that cannot open the destination must not be taken for an idle one.
    await store.touch(destinationId);
    const destination = await deps.findDestination(destinationId);
    const progress = await store.progress(destinationId);
    if (destination === null || progress === null) {
      // Enabled again, it must be found by whoever adds to its log.
      await store.rest(destinationId);
      return { kind: 'stopped' };
    }
    const { organizationId, workspaceId } = destination.settings;
    const record = createBatchRecord(deps, { destinationId, organizationId, workspaceId }, progress);
    const deliver = <I extends Item>(
      source: BatchSource<I>,
      items: readonly I[],
    ): Promise<Halt | undefined> => {
      signals.report({ doing: `sends ${items.length} generations`, delivered });
      const mustStop = async (): Promise<boolean> =>
        isOver() || isEdited(destination, await deps.findDestination(destinationId));
      const delivery = { destination, source, record, mustStop, signal: signals.cut, now: deps.now };
      return deliverBatch(delivery, items);
    };
    const order: ContentOrder = {
      spanRules: destination.spanRules,
      maxBytes: destination.limits.bytes,
      waitMs: times.contentWaitMs,
      pollMs: times.contentPollMs,
      signal: signals.stopRequested,
      report: (doing) => signals.report({ doing, delivered }),
    };
    const deliverEntries = async (entries: readonly LogEntry[]): Promise<Halt | undefined> => {
      const source = createLogSource(destinationId, cursors);
      for (let rest = entries; rest.length > 0;) {
        const part = await deps.content.load(rest, order);
        if (part === null) return undefined;
        try {
          if (signals.stopRequested.aborted) return undefined;
          const halt = await deliver(source, await prepareEntries(part.entries, destination.spanRules));
          if (halt !== undefined) return halt;
        } finally {
          part.release();
        }
        delivered += part.entries.length;
        rest = rest.slice(part.entries.length);
      }
      return undefined;
    };
    const deliverLetters = async (asked: readonly DeadLetter[]): Promise<Halt | undefined> => {
      const part = await deps.content.open(asked, order);
      if (part === null) return undefined;
      const letters = toReplayed(part.entries, destination);
      const halt = await deliver(LETTER_SOURCE, letters).finally(part.release);
      delivered += letters.length;
      return halt;
    };

    // A batch that failed is repeated first: it is the older one.
    const letters =
      progress.failedBatch === null
        ? await createDeadLetterStore(deps.knex).requested(destinationId, LETTERS_A_BATCH)
        : [];
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
        (letters.length > 0 ? await deliverLetters(letters) : undefined) ?? (await deliverEntries(entries));
      if (halt?.isDisabled) return { kind: 'stopped' };
      if (halt !== undefined)
        return { kind: 'back_off', state: halt.state, waitMs: halt.waitMs, reason: halt.reason };
    } catch (error) {
      if (error instanceof DeliveryInterruptedError) continue;
      // Another attempt of the run has not ended yet, or an hour of the log was dropped. The next pump reads the cursors anew.
      if (error instanceof CursorMovedError) return { kind: 'handed_over' };
      throw error;
    }
  }
}

/** Compares the times of the last edit: what is opened anew, because it was kept for long enough, is the same destination. */
function isEdited(before: OpenDestination, now: OpenDestination | null): boolean {
  return now?.settings.updatedAt.getTime() !== before.settings.updatedAt.getTime();
}

/** Dead letters are sent whatever the filters say now: somebody asked for them. */
function toReplayed(letters: readonly DeadLetter[], { spanRules }: OpenDestination): ReplayedLetter[] {
  return letters.map(({ id, event }) => ({
    letterId: id,
    event,
    span: event && composeSpan(event, spanRules.rules, spanIdsOf(event)),
  }));
}
