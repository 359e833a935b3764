import { createAttemptStore } from '../../../db/broadcast/attempt-store.ts';
import {
  createDeliveryStore,
  CursorMovedError,
  type DeliveryProgress,
} from '../../../db/broadcast/delivery-store.ts';
import type { StoredDestination } from '../../../db/broadcast/destination-rows.ts';
import type { Handle } from '../../../db/connection.ts';
import { backOffMs, DISABLE_AFTER_FAILURES, DISABLE_AFTER_MS } from '../../../domain/broadcast/back-off.ts';
import type { DestinationEvent } from '../../../domain/broadcast/destination-event.ts';
import type { BroadcastSpan } from '../../../domain/broadcast/span.ts';
import type { Verdict } from '../destinations/destination-adapter.ts';
import type { BatchSource, Item } from './batch-source.ts';

export interface RecordDeps {
  knex: Handle;
  /** Writes an event about the destination into the outbox, in the transaction that changes the destination. */
  writeEvent(transaction: Handle, event: DestinationEvent): Promise<void>;
  /** Encrypts the content that a dead letter keeps; null when there is none. */
  sealContent(item: Item): string | null;
  now(): number;
}

/** Records the outcomes of the parts of a batch. Each call is one transaction. */
export interface BatchRecord {
  batchFailures(): number;
  /** Returns the wait after a failure that is recorded now. */
  backOffMs(): number;
  skip<I extends Item>(source: BatchSource<I>, items: readonly I[]): Promise<void>;
  succeed<I extends Item>(source: BatchSource<I>, items: readonly I[], sent: Sent): Promise<void>;
  /** Records that the tool refused this part, which is divided or buried next. It adds only a row to the attempts. */
  note<I extends Item>(items: readonly I[], verdict: Failed['verdict'], tookMs: number): Promise<void>;
  /** Moves an item to the dead letters. Returns whether this disables the destination. */
  bury<I extends Item>(
    source: BatchSource<I>,
    item: I,
    refusal: { reason: string; status: number | null },
  ): Promise<boolean>;
  /** Records a failure. Returns whether this disables the destination. */
  fail<I extends Item>(source: BatchSource<I>, items: readonly I[], failed: Failed): Promise<boolean>;
}

interface Sent {
  verdict: Extract<Verdict, { kind: 'delivered' }>;
  spans: readonly BroadcastSpan[];
  tookMs: number;
}

interface Failed {
  verdict: Verdict & { reason: string };
  tookMs: number;
  state: 'backing_off' | 'needs_attention';
  waitMs: number;
}

/**
 * Creates the record. `settings` are the ones that the batch is sent with. `found` is the progress of the delivery,
 * which is kept up to date here.
 */
export function createBatchRecord(
  deps: RecordDeps,
  settings: Pick<StoredDestination, 'id' | 'organizationId' | 'workspaceId' | 'updatedAt'>,
  found: DeliveryProgress,
): BatchRecord {
  const { id: destinationId, organizationId, workspaceId } = settings;
  let progress = found;

  const tell = async (
    transaction: Handle,
    kind: DestinationEvent['kind'],
    reason: string | null,
  ): Promise<void> => {
    const since = progress.failingSince ?? new Date(deps.now());
    const place = { destinationId, organizationId, workspaceId };
    await deps.writeEvent(transaction, { ...place, kind, reason, since });
    await createDeliveryStore(transaction).noteTold(destinationId, kind !== 'recovered');
  };
  /** Disables a destination whose tool has accepted nothing for a day. Failures before an edit do not count. */
  const disableIfHopeless = async (transaction: Handle): Promise<boolean> => {
    const { failingSince, failures } = progress;
    const failingMs = deps.now() - (failingSince?.getTime() ?? deps.now());
    if (failures < DISABLE_AFTER_FAILURES || failingMs < DISABLE_AFTER_MS) return false;
    return createDeliveryStore(transaction).disable(destinationId, settings.updatedAt);
  };
  const end = async (transaction: Handle, reason: string): Promise<void> => {
    const words = `Every attempt of the last 24 hours failed. The last reason was: ${reason}`;
    await createDeliveryStore(transaction).end(destinationId, words);
    await tell(transaction, 'disabled', words);
  };
  /**
   * Locks the destination before anything else, in the order in which a deletion locks. Without its row there is
   * nothing to deliver.
   */
  const hold = async (transaction: Handle): Promise<void> => {
    if (!(await createDeliveryStore(transaction).hold(destinationId))) throw new CursorMovedError();
  };
  const reload = async (): Promise<void> => {
    progress = (await createDeliveryStore(deps.knex).progress(destinationId)) ?? progress;
  };

  const addFailure = (
    handle: Handle,
    items: readonly Item[],
    { reason, bytes, status, excerpt }: Failed['verdict'],
    tookMs: number,
  ): Promise<void> => {
    const events = items.filter(({ span }) => span !== null).length;
    const attempt = { events, bytes, status, reason, responseExcerpt: excerpt ?? null, tookMs };
    return createAttemptStore(handle).addFailure(destinationId, attempt);
  };

  return {
    batchFailures: () => progress.batchFailures,
    backOffMs: () => backOffMs(progress.failures + 1),
    async skip(source, items) {
      await deps.knex.transaction(async (transaction) => {
        await hold(transaction);
        await source.done(transaction, items);
        if (source.isLog) await createDeliveryStore(transaction).skip(destinationId);
      });
      source.committed(items);
    },
    async succeed(source, items, { verdict, spans, tookMs }) {
      const { bytes, status, excerpt = null } = verdict;
      // A tool may say anything.
      const rejected = Math.min(verdict.rejected, spans.length);
      await deps.knex.transaction(async (transaction) => {
        await hold(transaction);
        await source.done(transaction, items);
        const counts = {
          delivered: spans.length - rejected,
          rejected,
          withoutContent: spans.filter(({ isContentDropped }) => isContentDropped).length,
        };
        await createDeliveryStore(transaction).succeed(destinationId, counts, source.isLog);
        await createAttemptStore(transaction).addSuccess(destinationId, {
          events: spans.length,
          bytes,
          status,
          reason: null,
          responseExcerpt: excerpt,
          tookMs,
        });
        if (progress.isTroubleTold) await tell(transaction, 'recovered', null);
      });
      source.committed(items);
      if (progress.state !== 'running' || progress.failures > 0 || progress.isTroubleTold) await reload();
    },
    async note(items, verdict, tookMs) {
      // Without an answer nothing was sent.
      if (verdict.status === null) return;
      await deps.knex.transaction(async (transaction) => {
        await hold(transaction);
        await addFailure(transaction, items, verdict, tookMs);
      });
    },
    async bury(source, item, { reason, status }) {
      // What was not sent says nothing about the tool, and a dead letter was refused before.
      const isFailure = source.isLog && status !== null;
      const isDisabled = await deps.knex.transaction(async (transaction) => {
        await hold(transaction);
        const isHopeless = isFailure && (await disableIfHopeless(transaction));
        const deadLettered = await source.bury(transaction, item, {
          reason,
          status,
          contentSealed: deps.sealContent(item),
        });
        await createDeliveryStore(transaction).bury(
          destinationId,
          { deadLettered },
          { endsBatch: source.isLog, isFailure },
        );
        if (isHopeless) await end(transaction, reason);
        return isHopeless;
      });
      source.committed([item]);
      await reload();
      return isDisabled;
    },
    async fail(source, items, { verdict, tookMs, state, waitMs }) {
      const { reason } = verdict;
      const isDisabled = await deps.knex.transaction(async (transaction) => {
        await hold(transaction);
        // Dead letters that time out say little about what the tool makes of the log.
        const isHopeless = source.isLog && (await disableIfHopeless(transaction));
        const isServerError = verdict.kind === 'retry' && verdict.isServerError;
        const step = { state, reason, waitMs, batch: source.end(items), isServerError };
        await createDeliveryStore(transaction).fail(destinationId, step);
        await addFailure(transaction, items, verdict, tookMs);
        if (isHopeless) await end(transaction, reason);
        else if (state === 'needs_attention' && !progress.isTroubleTold)
          await tell(transaction, 'paused', reason);
        return isHopeless;
      });
      await reload();
      return isDisabled;
    },
  };
}
