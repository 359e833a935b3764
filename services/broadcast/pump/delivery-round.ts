/** Loads the content of the entries or dead letters that a pump has read, and delivers them in parts. */
import type { DeadLetter } from '../../../db/broadcast/dead-letter-store.ts';
import type { LogEntry } from '../../../db/broadcast/log-read-model.ts';
import type { LogPosition } from '../../../db/broadcast/log-position.ts';
import type { LateEntry } from '../../../db/broadcast/undecided-store.ts';
import { composeSpan } from '../../../domain/broadcast/compose-span.ts';
import { spanIdsOf } from '../span-ids.ts';
import type { BatchRecord } from './batch-record.ts';
import {
  type BatchSource,
  createLateSource,
  createLogSource,
  type Item,
  DEAD_LETTER_SOURCE,
  type ReplayedDeadLetter,
} from './batch-source.ts';
import type { ContentOrder } from './content-source.ts';
import { type BatchDelivery, deliverBatch, DeliveryInterruptedError, type Halt } from './deliver-batch.ts';
import type { DestinationWatch } from './destination-watch.ts';
import type { OpenDestination } from './open-destination.ts';
import { type Prepared, prepareEntries, trySpan } from './prepare-entries.ts';
import type { PumpDeps, PumpSignals, PumpTimes } from './pump-types.ts';

export interface RoundOptions {
  deps: PumpDeps;
  times: PumpTimes;
  signals: Pick<PumpSignals, 'stopRequested' | 'cut'>;
  /** The destination with its current settings. */
  destination: OpenDestination;
  record: BatchRecord;
  cursors: Map<number, LogPosition>;
  /** Returns whether the pump is to end. */
  mustEnd(): Promise<boolean>;
  report(doing: string): void;
  delivered(count: number): void;
}

/** The time after reading for which settings count as current. */
const SETTINGS_MS = 1_000;

/**
 * Delivers entries or dead letters that were read at one time, with the settings of that time. Each method returns why
 * it stopped, if it did.
 */
export function createDeliveryRound(options: RoundOptions) {
  const { deps, signals, destination, record, mustEnd, report } = options;
  const { id: destinationId } = destination.settings;
  const order = orderOf(options);
  let checkedAtMs = deps.now();

  const mustStop = async (): Promise<boolean> => {
    checkedAtMs = deps.now();
    return (await mustEnd()) || isEdited(destination, await deps.findDestination(destinationId));
  };
  const deliver = async <I extends Item>(
    source: BatchSource<I>,
    items: readonly I[],
  ): Promise<Halt | undefined> => {
    // The parts before this one, or the wait for its content, may have taken minutes.
    const isStale = deps.now() - checkedAtMs >= SETTINGS_MS;
    if (isStale && (await mustStop())) throw new DeliveryInterruptedError();
    report(`sends ${items.length} generations`);
    const delivery = { destination, source, record, mustStop, signal: signals.cut, now: deps.now };
    return deliverUntilGone(deps.destinationWatch, delivery, items);
  };
  const deliverParts = async <Entry extends LogEntry | LateEntry>(
    source: BatchSource<Entry & Prepared>,
    entries: readonly Entry[],
  ): Promise<Halt | undefined> => {
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
      options.delivered(part.entries.length);
      rest = rest.slice(part.entries.length);
    }
    return undefined;
  };

  return {
    entries: (entries: readonly LogEntry[]): Promise<Halt | undefined> =>
      deliverParts(createLogSource(destinationId, options.cursors), entries),

    late: (entries: readonly LateEntry[]): Promise<Halt | undefined> =>
      deliverParts(createLateSource(destinationId), entries),

    async deadLetters(requested: readonly DeadLetter[]): Promise<Halt | undefined> {
      const part = await deps.content.open(requested, order);
      if (part === null) return undefined;
      try {
        const deadLetters = toReplayed(part.entries, destination);
        const halt = await deliver(DEAD_LETTER_SOURCE, deadLetters);
        options.delivered(deadLetters.length);
        return halt;
      } finally {
        part.release();
      }
    },
  };
}

/** Delivers a batch, and cuts the request under way when the destination is deleted or disabled. */
function deliverUntilGone<I extends Item>(
  watch: DestinationWatch,
  delivery: BatchDelivery<I>,
  items: readonly I[],
): Promise<Halt | undefined> {
  return watch.during(delivery.destination.settings.id, async (gone) => {
    try {
      return await deliverBatch({ ...delivery, signal: AbortSignal.any([delivery.signal, gone]) }, items);
    } catch (error) {
      throw gone.aborted ? new DeliveryInterruptedError() : error;
    }
  });
}

/** Returns how the round reads content. */
function orderOf({ destination, times, signals, report }: RoundOptions): ContentOrder {
  return {
    organizationId: destination.settings.organizationId,
    spanRules: destination.spanRules,
    maxBytes: destination.limits.bytes,
    waitMs: times.contentWaitMs,
    pollMs: times.contentPollMs,
    lateMs: times.lateContentMs,
    signal: signals.stopRequested,
    report,
  };
}

/**
 * Compares the times of the last edit. An unedited destination may be another object, because it is opened again
 * after a while.
 */
function isEdited(before: OpenDestination, now: OpenDestination | null): boolean {
  return now?.settings.updatedAt.getTime() !== before.settings.updatedAt.getTime();
}

/** Returns dead letters as items to send. Filters do not apply, because someone requested these letters. */
function toReplayed(
  deadLetters: readonly DeadLetter[],
  { spanRules }: OpenDestination,
): ReplayedDeadLetter[] {
  return deadLetters.map(({ id, event }) => ({
    deadLetterId: id,
    event,
    ...trySpan(event, (sent) => composeSpan(sent, spanRules.rules, spanIdsOf(sent))),
  }));
}
