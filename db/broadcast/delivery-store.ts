/** Records how far the delivery to an observability destination has come, and what its last batch achieved. */
import { DELIVERY_STATES, type DeliveryState } from '../../domain/broadcast/destination.ts';
import type { Handle } from '../postgres/connection.ts';
import { anyRows, firstRow } from '../postgres/results.ts';
import { bool, int4, json, oneOf, type RowOf, selectList, text, timestamptz } from '../postgres/shape.ts';
import { prepared, run } from '../postgres/statement.ts';
import type { BatchEnd, LogPosition } from './log-position.ts';

const PROGRESS = {
  state: oneOf(DELIVERY_STATES),
  reason: text.orNull,
  nextAttemptAt: timestamptz.orNull,
  failingSince: timestamptz.orNull,
  /** Failed attempts since the last success. */
  failures: int4,
  /** Counts the 5xx answers to the current batch. */
  batchFailures: int4,
  /** The end of the last failed batch, which must be repeated unchanged. */
  failedBatch: json<BatchEnd>().orNull,
  /** True: a replay of dead letters was requested. */
  hasReplays: bool,
  /** True: filters could not decide about generations whose prompt and answer may still come. */
  hasUndecided: bool,
  /**
   * True: the callback URL has received the event that the destination is paused or disabled, but no event that it
   * recovered.
   */
  isFailureReported: bool,
};
/** The state that a delivery stores between batches, and that the destination's owner sees. */
export type DeliveryProgress = RowOf<typeof PROGRESS>;

/** Counts that a step of the delivery adds. */
export interface DeliveredCounts {
  delivered?: number;
  rejected?: number;
  withoutContent?: number;
  deadLetters?: number;
}

/** The progress in one shard. `from` is the position where the pump found the cursor. */
export interface CursorStep {
  from: LogPosition;
  to: LogPosition;
}

/** A failed attempt. */
export interface FailedStep {
  state: DeliveryState;
  reason: string;
  /** Milliseconds until the next attempt. */
  waitMs: number;
  /** Null: the batch was not from the log. */
  batch: BatchEnd | null;
  /** True: a 5xx, which the content of the batch may have caused. */
  isServerError: boolean;
}

/** Thrown when another pump or an edit of the destination moved its cursors. The pump must end. */
export class CursorMovedError extends Error {
  constructor() {
    super('the cursors of the destination were moved by another pump or an edit');
    this.name = 'CursorMovedError';
  }
}

/** Stores the columns of a destination that its pump writes. */
export function createDeliveryStore(handle: Handle) {
  return {
    ...pumpProgress(handle),
    ...batchOutcomes(handle),

    /** Records a failed attempt and the time of the next one. */
    async fail(
      destinationId: string,
      { state, reason, waitMs, batch, isServerError }: FailedStep,
    ): Promise<void> {
      await run(
        handle,
        `update broadcast_progress set state = :state, reason = :reason, touched_at = now(),
           next_attempt_at = now() + :waitMs * interval '1 millisecond',
           failing_since = coalesce(failing_since, now()), failures = failures + 1,
           batch_failures = batch_failures + :isBatchFailure::int, failed_batch = coalesce(:batch, failed_batch)
         where destination_id = :destinationId`,
        {
          destinationId,
          state,
          reason,
          waitMs,
          isBatchFailure: Number(batch !== null && isServerError),
          batch: batch && JSON.stringify(batch),
        },
      );
    },

    /**
     * Disables a destination unless it was edited after its settings were read. Returns whether it was disabled. Call
     * it before the transaction writes the progress: an edit locks the destination first, too.
     */
    disable: (destinationId: string, settingsFrom: Date): Promise<boolean> =>
      anyRows(
        handle,
        `update observability_destinations set enabled = false, updated_at = clock_timestamp()
         where id = :destinationId and date_trunc('milliseconds', updated_at) = :settingsFrom`,
        { destinationId, settingsFrom },
      ),

    /**
     * Ends the delivery until the destination is enabled again. Call it in the transaction that disables the
     * destination.
     */
    async end(destinationId: string, reason: string): Promise<void> {
      await run(
        handle,
        `update broadcast_progress set state = 'disabled', reason = :reason, next_attempt_at = null
         where destination_id = :destinationId`,
        { destinationId, reason },
      );
    },
  };
}

/** Builds the methods with which a pump records that it is alive, and holds its destination. */
function pumpProgress(handle: Handle) {
  return {
    progress: (destinationId: string): Promise<DeliveryProgress | null> =>
      firstRow(handle, PROGRESS, FIND_PROGRESS, { destinationId }),

    /**
     * Records that a pump is running. A state that explains why the delivery is blocked stays until a batch is
     * delivered.
     */
    async touch(destinationId: string): Promise<void> {
      await run(
        handle,
        `update broadcast_progress
         set touched_at = now(), waiting_since = null, state = case when state = 'idle' then 'running' else state end
         where destination_id = :destinationId`,
        { destinationId },
      );
    },

    /**
     * Marks the delivery as idle: it needs a nudge to run again. After the commit, the caller reads the log once more.
     */
    async markIdle(destinationId: string): Promise<void> {
      await run(
        handle,
        `update broadcast_progress
         set state = 'idle', reason = null, next_attempt_at = null, nudged_at = null, waiting_since = null
         where destination_id = :destinationId and state <> 'disabled'`,
        { destinationId },
      );
    },

    /**
     * Ends the turn of a running delivery: it waits for its next one, behind the others of its organization. Returns
     * false for a delivery in any other state.
     */
    endTurn: (destinationId: string): Promise<boolean> =>
      anyRows(
        handle,
        `update broadcast_progress set state = 'idle', nudged_at = null, waiting_since = now()
         where destination_id = :destinationId and state = 'running'`,
        { destinationId },
      ),

    /** Records whether an event has reported the trouble. Call it in the transaction that writes the event. */
    async recordFailureReported(destinationId: string, isFailureReported: boolean): Promise<void> {
      await run(
        handle,
        'update broadcast_progress set is_failure_reported = :isFailureReported where destination_id = :destinationId',
        { destinationId, isFailureReported },
      );
    },

    /**
     * Prevents the deletion of the destination until the commit. Returns false if it is deleted already. The commit
     * does not wait for the disk: if a crash of Postgres loses the record of a batch, the batch is sent again.
     */
    hold: (destinationId: string): Promise<boolean> =>
      anyRows(
        handle,
        `select set_config('synchronous_commit', 'off', true) from observability_destinations
         where id = :destinationId for key share`,
        { destinationId },
      ),
  };
}

/** Builds the methods that record the outcome of a batch. */
function batchOutcomes(handle: Handle) {
  return {
    /**
     * Moves cursors. Throws CursorMovedError if a cursor is not where the pump found it. Call it in a transaction, so
     * that the error undoes the other moves.
     */
    async advance(destinationId: string, steps: readonly CursorStep[]): Promise<void> {
      const moved = await run(handle, ADVANCE, {
        destinationId,
        shards: steps.map(({ to }) => to.shard),
        from: steps.map(({ from }) => `${from.pos}`),
        to: steps.map(({ to }) => `${to.pos}`),
        movedAt: steps.map(({ to }) => to.movedAt),
      });
      if (moved !== steps.length) throw new CursorMovedError();
    },

    /** Adds to the counters and clears failures. Call it in the transaction that moves the cursors. */
    async succeed(destinationId: string, counts: DeliveredCounts, endsBatch: boolean): Promise<void> {
      await run(
        handle,
        `update broadcast_progress set state = 'running', reason = null, next_attempt_at = null, touched_at = now(),
           failing_since = null, failures = 0, ${END_BATCH}, ${ADD_COUNTS}
         where destination_id = :destinationId`,
        { destinationId, endsBatch, ...NO_COUNTS, ...counts },
      );
    },

    /** Records that the batch had nothing to send. */
    async skip(destinationId: string): Promise<void> {
      await run(
        handle,
        `update broadcast_progress set touched_at = now(), batch_failures = 0, failed_batch = null
         where destination_id = :destinationId`,
        { destinationId },
      );
    },

    /**
     * Records that a generation became a dead letter. `isFailure`: the tool refused it for its content, so the tool has
     * accepted nothing since `failing_since`.
     */
    async recordDeadLetter(
      destinationId: string,
      counts: DeliveredCounts,
      { endsBatch, isFailure }: { endsBatch: boolean; isFailure: boolean },
    ): Promise<void> {
      await run(
        handle,
        `update broadcast_progress set touched_at = now(),
           failing_since = case when :isFailure then coalesce(failing_since, now()) else failing_since end,
           failures = failures + :isFailure::int, ${END_BATCH}, ${ADD_COUNTS}
         where destination_id = :destinationId`,
        { destinationId, isFailure, endsBatch, ...NO_COUNTS, ...counts },
      );
    },
  };
}

const FIND_PROGRESS = prepared(
  'broadcast-progress',
  `select ${selectList(PROGRESS, 'p', {
    hasReplays: `exists (select from broadcast_dead_letters l
      where l.destination_id = p.destination_id and l.replay_requested_at is not null)`,
    hasUndecided: 'exists (select from broadcast_undecided u where u.destination_id = p.destination_id)',
  })}
   from broadcast_progress p where destination_id = :destinationId`,
);

const ADVANCE = `
  update broadcast_cursors c set pos = n.to_pos, moved_at = n.moved_at
  from unnest(:shards::smallint[], :from::bigint[], :to::bigint[], :movedAt::timestamptz[])
    n (shard, from_pos, to_pos, moved_at)
  where c.destination_id = :destinationId and c.shard = n.shard and c.pos = n.from_pos`;

const END_BATCH = `batch_failures = case when :endsBatch then 0 else batch_failures end,
  failed_batch = case when :endsBatch then null else failed_batch end`;

const ADD_COUNTS = `delivered = delivered + :delivered, rejected = rejected + :rejected,
  without_content = without_content + :withoutContent, dead_letters = dead_letters + :deadLetters`;

const NO_COUNTS = { delivered: 0, rejected: 0, withoutContent: 0, deadLetters: 0 };
