/**
 * Writes the results of deliveries to Postgres: cursors, counts, failed attempts, dead letters and the destination's
 * state.
 */
import { createAttemptStore } from '../../../db/broadcast/attempt-store.ts';
import {
  createDeliveryStore,
  CursorMovedError,
  type DeliveryProgress,
} from '../../../db/broadcast/delivery-store.ts';
import type { StoredDestination } from '../../../db/broadcast/destination-rows.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import { backOffMs, DISABLE_AFTER_FAILURES, DISABLE_AFTER_MS } from '../../../domain/broadcast/back-off.ts';
import type { DestinationEvent } from '../../../domain/broadcast/destination-event.ts';
import type { BroadcastSpan } from '../../../domain/broadcast/span.ts';
import type { SendOutcome } from '../destinations/destination-adapter.ts';
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
  note<I extends Item>(items: readonly I[], outcome: Failed['outcome'], tookMs: number): Promise<void>;
  /** Moves an item to the dead letters. Returns whether this disables the destination. */
  recordDeadLetter<I extends Item>(
    source: BatchSource<I>,
    item: I,
    refusal: { reason: string; status: number | null },
  ): Promise<boolean>;
  /** Records a failure. Returns whether this disables the destination. */
  fail<I extends Item>(source: BatchSource<I>, items: readonly I[], failed: Failed): Promise<boolean>;
}

interface Sent {
  outcome: Extract<SendOutcome, { kind: 'delivered' }>;
  spans: readonly BroadcastSpan[];
  tookMs: number;
}

interface Failed {
  outcome: SendOutcome & { reason: string };
  tookMs: number;
  state: 'backing_off' | 'needs_attention';
  waitMs: number;
}

/** The settings that the batch is sent by. */
type SentBy = Pick<StoredDestination, 'id' | 'organizationId' | 'workspaceId' | 'updatedAt'>;

interface RecordedDelivery {
  deps: RecordDeps;
  settings: SentBy;
  /** The progress of the delivery, which the record keeps up to date. */
  progress: DeliveryProgress;
}

/** Creates the record of a batch. `found` is the stored progress of the delivery. */
export function createBatchRecord(deps: RecordDeps, settings: SentBy, found: DeliveryProgress): BatchRecord {
  const delivery: RecordedDelivery = { deps, settings, progress: found };
  return {
    batchFailures: () => delivery.progress.batchFailures,
    backOffMs: () => backOffMs(delivery.progress.failures + 1),
    skip: (source, items) => skip(delivery, source, items),
    succeed: (source, items, sent) => succeed(delivery, source, items, sent),
    note: (items, outcome, tookMs) => note(delivery, items, outcome, tookMs),
    recordDeadLetter: (source, item, refusal) => recordDeadLetter(delivery, source, item, refusal),
    fail: (source, items, failed) => fail(delivery, source, items, failed),
  };
}

async function skip<I extends Item>(
  delivery: RecordedDelivery,
  source: BatchSource<I>,
  items: readonly I[],
): Promise<void> {
  await delivery.deps.knex.transaction(async (transaction) => {
    await lockDestination(delivery, transaction);
    await source.done(transaction, items);
    if (source.isLog) await createDeliveryStore(transaction).skip(delivery.settings.id);
  });
  source.committed(items);
}

async function succeed<I extends Item>(
  delivery: RecordedDelivery,
  source: BatchSource<I>,
  items: readonly I[],
  { outcome, spans, tookMs }: Sent,
): Promise<void> {
  const { bytes, status, excerpt = null } = outcome;
  // A tool may report more spans than it received.
  const rejected = Math.min(outcome.rejected, spans.length);
  await delivery.deps.knex.transaction(async (transaction) => {
    await lockDestination(delivery, transaction);
    await source.done(transaction, items);
    const counts = {
      delivered: spans.length - rejected,
      rejected,
      withoutContent: spans.filter(({ isContentDropped }) => isContentDropped).length,
    };
    await createDeliveryStore(transaction).succeed(delivery.settings.id, counts, source.isLog);
    await createAttemptStore(transaction).addSuccess(delivery.settings.id, {
      events: spans.length,
      bytes,
      status,
      reason: null,
      responseExcerpt: excerpt,
      tookMs,
    });
    if (delivery.progress.isFailureReported) await writeStateEvent(delivery, transaction, 'recovered', null);
  });
  source.committed(items);
  if (
    delivery.progress.state !== 'running' ||
    delivery.progress.failures > 0 ||
    delivery.progress.isFailureReported
  )
    await reload(delivery);
}

async function note<I extends Item>(
  delivery: RecordedDelivery,
  items: readonly I[],
  outcome: Failed['outcome'],
  tookMs: number,
): Promise<void> {
  // A refusal without a status was found before sending, so there is no attempt to record.
  if (outcome.status === null) return;
  await delivery.deps.knex.transaction(async (transaction) => {
    await lockDestination(delivery, transaction);
    await addFailure(delivery, transaction, items, outcome, tookMs);
  });
}

async function recordDeadLetter<I extends Item>(
  delivery: RecordedDelivery,
  source: BatchSource<I>,
  item: I,
  { reason, status }: { reason: string; status: number | null },
): Promise<boolean> {
  // An item that was not sent shows nothing about the tool, and a dead letter was refused before.
  const isFailure = source.isLog && status !== null;
  const isDisabled = await delivery.deps.knex.transaction(async (transaction) => {
    await lockDestination(delivery, transaction);
    const wasDisabled = isFailure && (await disableAfterDayOfFailures(delivery, transaction));
    const deadLetters = await source.recordDeadLetter(transaction, item, {
      reason,
      status,
      contentSealed: delivery.deps.sealContent(item),
    });
    await createDeliveryStore(transaction).recordDeadLetter(
      delivery.settings.id,
      { deadLetters },
      { endsBatch: source.isLog, isFailure },
    );
    if (wasDisabled) await end(delivery, transaction, reason);
    return wasDisabled;
  });
  source.committed([item]);
  await reload(delivery);
  return isDisabled;
}

async function fail<I extends Item>(
  delivery: RecordedDelivery,
  source: BatchSource<I>,
  items: readonly I[],
  { outcome, tookMs, state, waitMs }: Failed,
): Promise<boolean> {
  const { reason } = outcome;
  const isDisabled = await delivery.deps.knex.transaction(async (transaction) => {
    await lockDestination(delivery, transaction);
    // A failed dead letter does not show whether the tool accepts the log.
    const wasDisabled = source.isLog && (await disableAfterDayOfFailures(delivery, transaction));
    const isServerError = outcome.kind === 'retry' && outcome.isServerError;
    const step = { state, reason, waitMs, batch: source.end(items), isServerError };
    await createDeliveryStore(transaction).fail(delivery.settings.id, step);
    await addFailure(delivery, transaction, items, outcome, tookMs);
    if (wasDisabled) await end(delivery, transaction, reason);
    else if (state === 'needs_attention' && !delivery.progress.isFailureReported)
      await writeStateEvent(delivery, transaction, 'paused', reason);
    return wasDisabled;
  });
  await reload(delivery);
  return isDisabled;
}

async function writeStateEvent(
  delivery: RecordedDelivery,
  transaction: Handle,
  kind: DestinationEvent['kind'],
  reason: string | null,
): Promise<void> {
  const since = delivery.progress.failingSince ?? new Date(delivery.deps.now());
  const { id: destinationId, organizationId, workspaceId } = delivery.settings;
  const place = { destinationId, organizationId, workspaceId };
  await delivery.deps.writeEvent(transaction, { ...place, kind, reason, since });
  await createDeliveryStore(transaction).recordFailureReported(destinationId, kind !== 'recovered');
}

/**
 * Disables a destination whose tool has accepted nothing for a day. Does nothing after an edit, because the failures
 * belong to earlier settings.
 */
async function disableAfterDayOfFailures(delivery: RecordedDelivery, transaction: Handle): Promise<boolean> {
  const { failingSince, failures } = delivery.progress;
  const failingMs = delivery.deps.now() - (failingSince?.getTime() ?? delivery.deps.now());
  if (failures < DISABLE_AFTER_FAILURES || failingMs < DISABLE_AFTER_MS) return false;
  return createDeliveryStore(transaction).disable(delivery.settings.id, delivery.settings.updatedAt);
}

async function end(delivery: RecordedDelivery, transaction: Handle, reason: string): Promise<void> {
  const lastReason = `Every attempt of the last 24 hours failed. The last reason was: ${reason}`;
  await createDeliveryStore(transaction).end(delivery.settings.id, lastReason);
  await writeStateEvent(delivery, transaction, 'disabled', lastReason);
}

/**
 * Locks the destination against deletion, before any other lock and in the order of a deletion. Throws when it was
 * deleted.
 */
async function lockDestination(delivery: RecordedDelivery, transaction: Handle): Promise<void> {
  if (!(await createDeliveryStore(transaction).hold(delivery.settings.id))) throw new CursorMovedError();
}

async function reload(delivery: RecordedDelivery): Promise<void> {
  delivery.progress =
    (await createDeliveryStore(delivery.deps.knex).progress(delivery.settings.id)) ?? delivery.progress;
}

function addFailure(
  delivery: RecordedDelivery,
  handle: Handle,
  items: readonly Item[],
  { reason, bytes, status, excerpt }: Failed['outcome'],
  tookMs: number,
): Promise<void> {
  const events = items.filter(({ span }) => span !== null).length;
  const attempt = { events, bytes, status, reason, responseExcerpt: excerpt ?? null, tookMs };
  return createAttemptStore(handle).addFailure(delivery.settings.id, attempt);
}
