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
import { DISABLE_AFTER_FAILURES, DISABLE_AFTER_MS } from '../../../domain/broadcast/back-off.ts';
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

/** The record of the outcomes of a batch. Each function that takes it makes one transaction. */
export interface BatchRecord {
  deps: RecordDeps;
  /** The settings that the batch is sent by. */
  settings: Pick<StoredDestination, 'id' | 'organizationId' | 'workspaceId' | 'updatedAt'>;
  /** The progress of the delivery, which the record keeps up to date. */
  progress: DeliveryProgress;
}

interface Sent {
  outcome: Extract<SendOutcome, { kind: 'delivered' }>;
  spans: readonly BroadcastSpan[];
  tookMs: number;
}

export interface Failed {
  outcome: SendOutcome & { reason: string };
  tookMs: number;
  state: 'backing_off' | 'needs_attention';
  waitMs: number;
}

/** Records items that had nothing to send. */
export async function recordSkip<I extends Item>(
  record: BatchRecord,
  source: BatchSource<I>,
  items: readonly I[],
): Promise<void> {
  await record.deps.knex.transaction(async (transaction) => {
    await lockDestination(record, transaction);
    await source.done(transaction, items);
    if (source.isLog) await createDeliveryStore(transaction).skip(record.settings.id);
  });
  source.committed(items);
}

/** Records a delivered part. */
export async function recordSuccess<I extends Item>(
  record: BatchRecord,
  source: BatchSource<I>,
  items: readonly I[],
  { outcome, spans, tookMs }: Sent,
): Promise<void> {
  const { bytes, status, excerpt = null } = outcome;
  // A tool may report more spans than it received.
  const rejected = Math.min(outcome.rejected, spans.length);
  await record.deps.knex.transaction(async (transaction) => {
    await lockDestination(record, transaction);
    await source.done(transaction, items);
    const counts = {
      delivered: spans.length - rejected,
      rejected,
      withoutContent: spans.filter(({ isContentDropped }) => isContentDropped).length,
    };
    await createDeliveryStore(transaction).succeed(record.settings.id, counts, source.isLog);
    await createAttemptStore(transaction).addSuccess(record.settings.id, {
      events: spans.length,
      bytes,
      status,
      reason: null,
      responseExcerpt: excerpt,
      tookMs,
    });
    if (record.progress.isFailureReported) await writeStateEvent(record, transaction, 'recovered', null);
  });
  source.committed(items);
  if (
    record.progress.state !== 'running' ||
    record.progress.failures > 0 ||
    record.progress.isFailureReported
  )
    await reload(record);
}

/**
 * Records that the tool refused this part, which is divided or moved to the dead letters next. It adds only a row to
 * the attempts.
 */
export async function recordRefusal<I extends Item>(
  record: BatchRecord,
  items: readonly I[],
  outcome: Failed['outcome'],
  tookMs: number,
): Promise<void> {
  // A refusal without a status was found before sending, so there is no attempt to record.
  if (outcome.status === null) return;
  await record.deps.knex.transaction(async (transaction) => {
    await lockDestination(record, transaction);
    await addFailure(record, transaction, items, outcome, tookMs);
  });
}

/** Moves an item to the dead letters. Returns whether this disables the destination. */
export async function recordDeadLetter<I extends Item>(
  record: BatchRecord,
  source: BatchSource<I>,
  item: I,
  { reason, status }: { reason: string; status: number | null },
): Promise<boolean> {
  // An item that was not sent shows nothing about the tool, and a dead letter was refused before.
  const isFailure = source.isLog && status !== null;
  const isDisabled = await record.deps.knex.transaction(async (transaction) => {
    await lockDestination(record, transaction);
    const wasDisabled = isFailure && (await disableAfterDayOfFailures(record, transaction));
    const deadLetters = await source.recordDeadLetter(transaction, item, {
      reason,
      status,
      contentSealed: record.deps.sealContent(item),
    });
    await createDeliveryStore(transaction).recordDeadLetter(
      record.settings.id,
      { deadLetters },
      { endsBatch: source.isLog, isFailure },
    );
    if (wasDisabled) await end(record, transaction, reason);
    return wasDisabled;
  });
  source.committed([item]);
  await reload(record);
  return isDisabled;
}

/** Records a failure. Returns whether this disables the destination. */
export async function recordFailure<I extends Item>(
  record: BatchRecord,
  source: BatchSource<I>,
  items: readonly I[],
  { outcome, tookMs, state, waitMs }: Failed,
): Promise<boolean> {
  const { reason } = outcome;
  const isDisabled = await record.deps.knex.transaction(async (transaction) => {
    await lockDestination(record, transaction);
    // A failed dead letter does not show whether the tool accepts the log.
    const wasDisabled = source.isLog && (await disableAfterDayOfFailures(record, transaction));
    const isServerError = outcome.kind === 'retry' && outcome.isServerError;
    const step = { state, reason, waitMs, batch: source.end(items), isServerError };
    await createDeliveryStore(transaction).fail(record.settings.id, step);
    await addFailure(record, transaction, items, outcome, tookMs);
    if (wasDisabled) await end(record, transaction, reason);
    else if (state === 'needs_attention' && !record.progress.isFailureReported)
      await writeStateEvent(record, transaction, 'paused', reason);
    return wasDisabled;
  });
  await reload(record);
  return isDisabled;
}

async function writeStateEvent(
  record: BatchRecord,
  transaction: Handle,
  kind: DestinationEvent['kind'],
  reason: string | null,
): Promise<void> {
  const since = record.progress.failingSince ?? new Date(record.deps.now());
  const { id: destinationId, organizationId, workspaceId } = record.settings;
  const place = { destinationId, organizationId, workspaceId };
  await record.deps.writeEvent(transaction, { ...place, kind, reason, since });
  await createDeliveryStore(transaction).recordFailureReported(destinationId, kind !== 'recovered');
}

/**
 * Disables a destination whose tool has accepted nothing for a day. Does nothing after an edit, because the failures
 * belong to earlier settings.
 */
async function disableAfterDayOfFailures(record: BatchRecord, transaction: Handle): Promise<boolean> {
  const { failingSince, failures } = record.progress;
  const failingMs = record.deps.now() - (failingSince?.getTime() ?? record.deps.now());
  if (failures < DISABLE_AFTER_FAILURES || failingMs < DISABLE_AFTER_MS) return false;
  return createDeliveryStore(transaction).disable(record.settings.id, record.settings.updatedAt);
}

async function end(record: BatchRecord, transaction: Handle, reason: string): Promise<void> {
  const lastReason = `Every attempt of the last 24 hours failed. The last reason was: ${reason}`;
  await createDeliveryStore(transaction).end(record.settings.id, lastReason);
  await writeStateEvent(record, transaction, 'disabled', lastReason);
}

/**
 * Locks the destination against deletion, before any other lock and in the order of a deletion. Throws when it was
 * deleted.
 */
async function lockDestination(record: BatchRecord, transaction: Handle): Promise<void> {
  if (!(await createDeliveryStore(transaction).hold(record.settings.id))) throw new CursorMovedError();
}

async function reload(record: BatchRecord): Promise<void> {
  record.progress =
    (await createDeliveryStore(record.deps.knex).progress(record.settings.id)) ?? record.progress;
}

function addFailure(
  record: BatchRecord,
  handle: Handle,
  items: readonly Item[],
  { reason, bytes, status, excerpt }: Failed['outcome'],
  tookMs: number,
): Promise<void> {
  const events = items.filter(({ span }) => span !== null).length;
  const attempt = { events, bytes, status, reason, responseExcerpt: excerpt ?? null, tookMs };
  return createAttemptStore(handle).addFailure(record.settings.id, attempt);
}
