import { createDeadLetterStore } from '../../../db/broadcast/dead-letter-store.ts';
import { createDeliveryStore, type CursorStep } from '../../../db/broadcast/delivery-store.ts';
import type { BatchEnd, LogPosition } from '../../../db/broadcast/log-position.ts';
import type { Handle } from '../../../db/connection.ts';
import type { BroadcastEvent } from '../../../domain/broadcast/event.ts';
import type { BroadcastSpan } from '../../../domain/broadcast/span.ts';
import type { PreparedEntry } from './prepare-entries.ts';

/** A generation on its way to a tool. */
export interface Item {
  event: BroadcastEvent | null;
  /** Null: nothing is sent. */
  span: BroadcastSpan | null;
  /** It should be sent, and no span could be made of it. */
  isBroken?: boolean;
}

/** Why a tool refused one generation. */
export interface Refusal {
  reason: string;
  status: number | null;
  contentSealed: string | null;
}

/** Where generations come from, and what is noted about them in the transaction that ends their delivery. */
export interface BatchSource<I extends Item> {
  /** False: what becomes of the items says nothing about the batch of the log that failed last. */
  isLog: boolean;
  /** They were delivered, or there was nothing to send of them. */
  done(transaction: Handle, items: readonly I[]): Promise<void>;
  /** The tool refused this one for what is in it. Returns how many dead letters are new. */
  bury(transaction: Handle, item: I, refusal: Refusal): Promise<number>;
  /** Called when the transaction is committed. */
  committed(items: readonly I[]): void;
  /** The end of the batch that these items are. Null: it has no place in the log. */
  end(items: readonly I[]): BatchEnd | null;
}

/** Entries of the log: the destination's cursors move past them. */
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
    done: (transaction, entries) => createDeliveryStore(transaction).advance(destinationId, steps(entries)),
    async bury(transaction, entry, refusal) {
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

/** A dead letter that somebody wants sent again. */
export interface ReplayedLetter extends Item {
  letterId: string;
}

/** Dead letters: they are deleted once they are delivered. */
export const LETTER_SOURCE: BatchSource<ReplayedLetter> = {
  isLog: false,
  done: (transaction, letters) =>
    createDeadLetterStore(transaction).delete(letters.map(({ letterId }) => letterId)),
  async bury(transaction, { letterId }, { reason, status }) {
    await createDeadLetterStore(transaction).refuseReplay([letterId], reason, status);
    return 0;
  },
  committed: () => {},
  end: () => null,
};
