/**
 * Defines the sources of a batch, which are log entries, replayed dead letters and late entries, and how each records
 * its progress.
 */
import { createDeadLetterStore } from '../../../db/broadcast/dead-letter-store.ts';
import { createDeliveryStore, type CursorStep } from '../../../db/broadcast/delivery-store.ts';
import { createUndecidedStore, type LateEntry } from '../../../db/broadcast/undecided-store.ts';
import type { BatchEnd, LogPosition } from '../../../db/broadcast/log-position.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import type { BroadcastEvent } from '../../../domain/broadcast/event.ts';
import type { BroadcastSpan } from '../../../domain/broadcast/span.ts';
import type { Prepared, PreparedEntry } from './prepare-entries.ts';

/** A generation on its way to a tool. */
export interface Item {
  event: BroadcastEvent | null;
  /** The span to send; null when nothing is sent. */
  span: BroadcastSpan | null;
  /** True when a span should be sent but could not be made. */
  isBroken?: boolean;
}

/** The reason why a tool refused one generation. */
export interface Refusal {
  reason: string;
  status: number | null;
  contentSealed: string | null;
}

/** Supplies generations, and records their outcome in the transaction that ends their delivery. */
export interface BatchSource<I extends Item> {
  /** True for entries of the log, whose outcome ends or repeats the batch that failed last. */
  isLog: boolean;
  /** Records items that were delivered, or that had nothing to send. */
  done(transaction: Handle, items: readonly I[]): Promise<void>;
  /** Records an item that the tool refused for its content. Returns how many dead letters are new. */
  recordDeadLetter(transaction: Handle, item: I, refusal: Refusal): Promise<number>;
  /** Called when the transaction is committed. */
  committed(items: readonly I[]): void;
  /** Returns the end of the batch of these items; null for items without a position in the log. */
  end(items: readonly I[]): BatchEnd | null;
}

/** Creates the source of entries of the log; the destination's cursors move past them. */
export function createLogSource(
  destinationId: string,
  cursors: Map<number, LogPosition>,
): BatchSource<PreparedEntry> {
  const steps = (entries: readonly PreparedEntry[]): CursorStep[] => {
    const last = new Map(entries.map(({ shard, pos, movedAt }) => [shard, { shard, pos, movedAt }]));
    return [...last.values()].map((to) => ({ from: cursors.get(to.shard)!, to }));
  };
  return {
    isLog: true,
    async done(transaction, entries) {
      await createDeliveryStore(transaction).advance(destinationId, steps(entries));
      const undecided = entries.flatMap(({ event, isUndecided }) => (isUndecided && event ? [event] : []));
      if (undecided.length > 0) await createUndecidedStore(transaction).add(destinationId, undecided);
    },
    async recordDeadLetter(transaction, entry, refusal) {
      await createDeliveryStore(transaction).advance(destinationId, steps([entry]));
      const { event } = entry;
      return event === null
        ? 0
        : createDeadLetterStore(transaction).add(destinationId, { event, ...refusal });
    },
    committed: (entries) => {
      for (const { to } of steps(entries)) cursors.set(to.shard, to);
    },
    end: (entries) => steps(entries).map(({ to }) => ({ shard: to.shard, pos: `${to.pos}` })),
  };
}

/**
 * Creates the source of generations that the filters could not decide before. They are removed once they are decided or
 * cannot be.
 */
export function createLateSource(destinationId: string): BatchSource<LateEntry & Prepared> {
  const remove = (transaction: Handle, entries: readonly (LateEntry & Prepared)[]): Promise<void> => {
    const ids = entries.map(({ generationId }) => generationId);
    const decided = entries.filter(({ isUndecided }) => !isUndecided).length;
    return createUndecidedStore(transaction).remove(destinationId, ids, decided);
  };
  return {
    isLog: false,
    done: remove,
    async recordDeadLetter(transaction, entry, refusal) {
      await remove(transaction, [entry]);
      const { event } = entry;
      return event === null
        ? 0
        : createDeadLetterStore(transaction).add(destinationId, { event, ...refusal });
    },
    committed: () => {},
    end: () => null,
  };
}

/** A dead letter that is to be sent again. */
export interface ReplayedDeadLetter extends Item {
  deadLetterId: string;
}

/** The source of dead letters, which are deleted once they are delivered. */
export const DEAD_LETTER_SOURCE: BatchSource<ReplayedDeadLetter> = {
  isLog: false,
  done: (transaction, deadLetters) =>
    createDeadLetterStore(transaction).delete(deadLetters.map(({ deadLetterId }) => deadLetterId)),
  async recordDeadLetter(transaction, { deadLetterId }, { reason, status }) {
    await createDeadLetterStore(transaction).refuseReplay([deadLetterId], reason, status);
    return 0;
  },
  committed: () => {},
  end: () => null,
};
