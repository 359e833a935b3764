/** Delivers a batch to a tool. Parts that fail are divided, postponed or moved to the dead letters. */
import { createHash } from 'node:crypto';
import type { BroadcastSpan } from '../../../domain/broadcast/span.ts';
import { backOffMs, PROBE_EVERY_MS, SUSPECT_AFTER_FAILURES } from '../../../domain/broadcast/back-off.ts';
import type { SendOutcome } from '../destinations/destination-adapter.ts';
import type { BatchSource, Item } from './batch-source.ts';
import {
  type BatchRecord,
  type Failed,
  recordDeadLetter,
  recordFailure,
  recordRefusal,
  recordSkip,
  recordSuccess,
} from './batch-record.ts';
import type { OpenDestination } from './open-destination.ts';

/** The reason why the pump cannot continue with the next batch. */
export interface Halt {
  state: 'backing_off' | 'needs_attention';
  /** Milliseconds until the next attempt. */
  waitMs: number;
  reason: string;
  /** True when the destination was disabled. */
  isDisabled: boolean;
}

export interface BatchDelivery<I extends Item> {
  destination: OpenDestination;
  source: BatchSource<I>;
  record: BatchRecord;
  /** Returns whether the destination was edited or the pump is to end. Called before each request but the first. */
  mustStop(): Promise<boolean>;
  signal: AbortSignal;
  now(): number;
}

/** Thrown when a delivery is interrupted between two requests; the outcomes recorded so far stay. */
export class DeliveryInterruptedError extends Error {
  constructor() {
    super('the delivery of a batch was interrupted');
    this.name = 'DeliveryInterruptedError';
  }
}

interface BatchUnderWay<I extends Item> extends BatchDelivery<I> {
  /** True when the tool fails at this batch although it passes its test. */
  isBatchSuspect: boolean;
  hasStarted: boolean;
}

/**
 * Sends generations in their order, and records the outcome of each part before the next one is sent. A part that is
 * too large or refused is divided until the generation that causes it is alone. Returns why it stopped, if it did.
 */
export function deliverBatch<I extends Item>(
  delivery: BatchDelivery<I>,
  items: readonly I[],
): Promise<Halt | undefined> {
  return deliver({ ...delivery, isBatchSuspect: false, hasStarted: false }, items);
}

async function deliver<I extends Item>(
  batch: BatchUnderWay<I>,
  part: readonly I[],
): Promise<Halt | undefined> {
  // A division may take hours: an edit must not wait for its end.
  if (batch.hasStarted && (await batch.mustStop())) throw new DeliveryInterruptedError();
  batch.hasStarted = true;
  const reason = part.map((item) => reasonAgainst(batch, item)).find((found) => found !== null);
  if (reason !== undefined)
    return part.length > 1
      ? divide(batch, part)
      : moveToDeadLetters(batch, part[0]!, { status: null, reason });
  const spans = part.flatMap(({ span }) => span ?? []);
  if (spans.length === 0) {
    await recordSkip(batch.record, batch.source, part);
    return undefined;
  }
  const startedAtMs = batch.now();
  const outcome = await send(batch, spans);
  const tookMs = batch.now() - startedAtMs;
  switch (outcome.kind) {
    case 'delivered':
      await recordSuccess(batch.record, batch.source, part, { outcome, spans, tookMs });
      return undefined;
    case 'too_large':
      await recordRefusal(batch.record, part, outcome, tookMs);
      return spans.length > 1 ? divide(batch, part) : withoutContent(batch, part, outcome);
    case 'bad':
      await recordRefusal(batch.record, part, outcome, tookMs);
      return spans.length > 1 ? divide(batch, part) : movePartToDeadLetters(batch, part, outcome);
    case 'pause':
      return fail(batch, part, { outcome, tookMs, state: 'needs_attention', waitMs: PROBE_EVERY_MS });
    case 'retry':
      return retry(batch, part, outcome, tookMs);
  }
}

async function divide<I extends Item>(
  batch: BatchUnderWay<I>,
  part: readonly I[],
): Promise<Halt | undefined> {
  const half = Math.ceil(part.length / 2);
  return (await deliver(batch, part.slice(0, half))) ?? deliver(batch, part.slice(half));
}

async function retry<I extends Item>(
  batch: BatchUnderWay<I>,
  part: readonly I[],
  outcome: Extract<SendOutcome, { kind: 'retry' }>,
  tookMs: number,
): Promise<Halt | undefined> {
  if (outcome.isServerError) {
    const failures = batch.record.progress.batchFailures + 1;
    // Dead letters and late generations are suspect at once, because the log waits for them.
    const isDue = batch.isBatchSuspect || failures >= SUSPECT_AFTER_FAILURES || !batch.source.isLog;
    // Test the tool each time: if it now fails at everything, this part is not the cause.
    if (isDue && (await batch.destination.passesTest(batch.signal))) {
      batch.isBatchSuspect = true;
      await recordRefusal(batch.record, part, outcome, tookMs);
      return part.length > 1 ? divide(batch, part) : movePartToDeadLetters(batch, part, outcome);
    }
  }
  // A shorter wait that the tool requests does not replace the usual back-off.
  const waitMs = Math.max(outcome.retryAfterMs ?? 0, backOffMs(batch.record.progress.failures + 1));
  return fail(batch, part, { outcome, tookMs, state: 'backing_off', waitMs });
}

async function fail<I extends Item>(
  batch: BatchUnderWay<I>,
  part: readonly I[],
  failed: Failed,
): Promise<Halt> {
  const isDisabled = await recordFailure(batch.record, batch.source, part, failed);
  const { state, waitMs, outcome } = failed;
  return { state, waitMs, reason: outcome.reason, isDisabled };
}

/** Moves the item with a span to the dead letters. The items around it have nothing to send. */
async function movePartToDeadLetters<I extends Item>(
  batch: BatchUnderWay<I>,
  part: readonly I[],
  outcome: SendOutcome & { reason: string },
): Promise<Halt | undefined> {
  for (const item of part) {
    const halt =
      item.span === null ? await deliver(batch, [item]) : await moveToDeadLetters(batch, item, outcome);
    if (halt !== undefined) return halt;
  }
  return undefined;
}

async function moveToDeadLetters<I extends Item>(
  batch: BatchUnderWay<I>,
  item: I,
  refusal: { status: number | null; reason: string },
): Promise<Halt | undefined> {
  const isDisabled = await recordDeadLetter(batch.record, batch.source, item, refusal);
  return isDisabled ? { state: 'backing_off', waitMs: 0, reason: refusal.reason, isDisabled } : undefined;
}

async function withoutContent<I extends Item>(
  batch: BatchUnderWay<I>,
  part: readonly I[],
  outcome: SendOutcome & { reason: string },
): Promise<Halt | undefined> {
  if (part.every(({ span }) => span?.content === undefined))
    return movePartToDeadLetters(batch, part, outcome);
  return deliver(
    batch,
    part.map((item) => ({ ...item, span: item.span && dropContent(item.span) })),
  );
}

function dropContent(span: BroadcastSpan): BroadcastSpan {
  const bare = { ...span, isContentDropped: true };
  delete bare.content;
  return bare;
}

/** Returns why a generation cannot be sent; null when it can. */
function reasonAgainst({ destination, now }: BatchDelivery<Item>, { span, isBroken }: Item): string | null {
  if (isBroken === true) return 'No span could be made of the generation.';
  const { maxAgeMs = Infinity } = destination.limits;
  const isTooOld = span !== null && now() - span.startedAtMs > maxAgeMs;
  return isTooOld ? 'The tool accepts no generations of this age.' : null;
}

/**
 * Sends spans as one batch. Equal spans have an equal id, so that a tool can recognize a repetition. A generation
 * that cannot be encoded counts as refused, because it would fail every time and hold up all after it.
 */
async function send(
  { destination, signal }: BatchDelivery<Item>,
  spans: readonly BroadcastSpan[],
): Promise<SendOutcome> {
  const hash = createHash('sha256').update(destination.settings.id);
  for (const { generationId } of spans) hash.update(generationId);
  const id = hash.digest('hex').slice(0, 32);
  try {
    return await destination.send({ spans, id, destinationId: destination.settings.id }, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    return {
      kind: 'bad',
      reason: 'The generation could not be written in the format of the tool.',
      status: null,
      bytes: 0,
    };
  }
}
