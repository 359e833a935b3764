/** Records how far the delivery to an observability destination has come, and what its last batch achieved. */
import type { DeliveryState } from '../../domain/broadcast/destination.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRows, uncheckedRowsOf } from '../postgres/statement.ts';
import type { BatchEnd, LogPosition } from './log-position.ts';

/** The state that a delivery stores between batches, and that the destination's owner sees. */
export interface DeliveryProgress {
  state: DeliveryState;
  reason: string | null;
  nextAttemptAt: Date | null;
  failingSince: Date | null;
  /** Failed attempts since the last success. */
  failures: number;
  /** Counts the 5xx answers to the current batch. */
  batchFailures: number;
  /** The end of the last failed batch, which must be repeated unchanged. */
  failedBatch: BatchEnd | null;
  /** True: a replay of dead letters was requested. */
  hasReplays: boolean;
  /** True: filters could not decide about generations whose prompt and answer may still come. */
  hasUndecided: boolean;
  /**
   * True: the callback URL has received the event that the destination is paused or disabled, but no event that it
   * recovered.
   */
  isFailureReported: boolean;
}

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
      await handle.raw(
        `update broadcast_progress set state = ?, reason = ?, touched_at = now(),
           next_attempt_at = now() + ? * interval '1 millisecond',
           failing_since = coalesce(failing_since, now()), failures = failures + 1,
           batch_failures = batch_failures + ?, failed_batch = coalesce(?, failed_batch)
         where destination_id = ?`,
        [
          state,
          reason,
          waitMs,
          Number(batch !== null && isServerError),
          batch && JSON.stringify(batch),
          destinationId,
        ],
      );
    },

    /**
     * Disables a destination unless it was edited after its settings were read. Returns whether it was disabled. Call
     * it before the transaction writes the progress: an edit locks the destination first, too.
     */
    async disable(destinationId: string, settingsFrom: Date): Promise<boolean> {
      const rows = await uncheckedRowsOf(
        handle,
        `update observability_destinations set enabled = false, updated_at = clock_timestamp()
         where id = ? and date_trunc('milliseconds', updated_at) = ? returning 1`,
        [destinationId, settingsFrom],
      );
      return rows.length > 0;
    },

    /**
     * Ends the delivery until the destination is enabled again. Call it in the transaction that disables the
     * destination.
     */
    async end(destinationId: string, reason: string): Promise<void> {
      await handle.raw(
        `update broadcast_progress set state = 'disabled', reason = ?, next_attempt_at = null
         where destination_id = ?`,
        [reason, destinationId],
      );
    },
  };
}

/** Builds the methods with which a pump records that it is alive, and holds its destination. */
function pumpProgress(handle: Handle) {
  return {
    async progress(destinationId: string): Promise<DeliveryProgress | null> {
      const [row] = await uncheckedRows<DeliveryProgress>(handle, PROGRESS, [destinationId]);
      return row ?? null;
    },

    /**
     * Records that a pump is running. A state that explains why the delivery is blocked stays until a batch is
     * delivered.
     */
    async touch(destinationId: string): Promise<void> {
      await handle.raw(
        `update broadcast_progress
         set touched_at = now(), waiting_since = null, state = case when state = 'idle' then 'running' else state end
         where destination_id = ?`,
        [destinationId],
      );
    },

    /**
     * Marks the delivery as idle: it needs a nudge to run again. After the commit, the caller reads the log once more.
     */
    async markIdle(destinationId: string): Promise<void> {
      await handle.raw(
        `update broadcast_progress
         set state = 'idle', reason = null, next_attempt_at = null, nudged_at = null, waiting_since = null
         where destination_id = ? and state <> 'disabled'`,
        [destinationId],
      );
    },

    /**
     * Ends the turn of a running delivery: it waits for its next one, behind the others of its organization. Returns
     * false for a delivery in any other state.
     */
    async endTurn(destinationId: string): Promise<boolean> {
      const rows = await uncheckedRowsOf(
        handle,
        `update broadcast_progress set state = 'idle', nudged_at = null, waiting_since = now()
         where destination_id = ? and state = 'running' returning 1`,
        [destinationId],
      );
      return rows.length > 0;
    },

    /** Records whether an event has reported the trouble. Call it in the transaction that writes the event. */
    async recordFailureReported(destinationId: string, isFailureReported: boolean): Promise<void> {
      await handle.raw('update broadcast_progress set is_failure_reported = ? where destination_id = ?', [
        isFailureReported,
        destinationId,
      ]);
    },

    /**
     * Prevents the deletion of the destination until the commit. Returns false if it is deleted already. The commit
     * does not wait for the disk: if a crash of Postgres loses the record of a batch, the batch is sent again.
     */
    async hold(destinationId: string): Promise<boolean> {
      const rows = await uncheckedRowsOf(
        handle,
        `select set_config('synchronous_commit', 'off', true) from observability_destinations where id = ? for key share`,
        [destinationId],
      );
      return rows.length > 0;
    },
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
      const moved = await uncheckedRowsOf(handle, ADVANCE, [
        destinationId,
        steps.map(({ to }) => to.shard),
        steps.map(({ from }) => `${from.pos}`),
        steps.map(({ to }) => `${to.pos}`),
        steps.map(({ to }) => to.movedAt),
      ]);
      if (moved.length !== steps.length) throw new CursorMovedError();
    },

    /** Adds to the counters and clears failures. Call it in the transaction that moves the cursors. */
    async succeed(destinationId: string, counts: DeliveredCounts, endsBatch: boolean): Promise<void> {
      await handle.raw(
        `update broadcast_progress set state = 'running', reason = null, next_attempt_at = null, touched_at = now(),
           failing_since = null, failures = 0, ${END_BATCH}, ${ADD_COUNTS}
         where destination_id = ?`,
        [endsBatch, endsBatch, ...countsOf(counts), destinationId],
      );
    },

    /** Records that the batch had nothing to send. */
    async skip(destinationId: string): Promise<void> {
      await handle.raw(
        `update broadcast_progress set touched_at = now(), batch_failures = 0, failed_batch = null
         where destination_id = ?`,
        [destinationId],
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
      await handle.raw(
        `update broadcast_progress set touched_at = now(),
           failing_since = case when ? then coalesce(failing_since, now()) else failing_since end,
           failures = failures + ?, ${END_BATCH}, ${ADD_COUNTS}
         where destination_id = ?`,
        [isFailure, isFailure ? 1 : 0, endsBatch, endsBatch, ...countsOf(counts), destinationId],
      );
    },
  };
}

const PROGRESS = {
  name: 'broadcast-progress',
  text: `
    select state, reason, next_attempt_at "nextAttemptAt", failing_since "failingSince", failures,
      batch_failures "batchFailures", failed_batch "failedBatch", is_failure_reported "isFailureReported",
      exists (select from broadcast_dead_letters l
        where l.destination_id = p.destination_id and l.replay_requested_at is not null) "hasReplays",
      exists (select from broadcast_undecided u where u.destination_id = p.destination_id) "hasUndecided"
    from broadcast_progress p where destination_id = $1`,
};

const ADVANCE = `
  update broadcast_cursors c set pos = n.to_pos, moved_at = n.moved_at
  from (select ?::uuid destination_id) d,
    unnest(?::smallint[], ?::bigint[], ?::bigint[], ?::timestamptz[]) n (shard, from_pos, to_pos, moved_at)
  where c.destination_id = d.destination_id and c.shard = n.shard and c.pos = n.from_pos
  returning 1`;

const END_BATCH = `batch_failures = case when ? then 0 else batch_failures end,
  failed_batch = case when ? then null else failed_batch end`;

const ADD_COUNTS = `delivered = delivered + ?, rejected = rejected + ?, without_content = without_content + ?,
  dead_letters = dead_letters + ?`;

function countsOf({ delivered, rejected, withoutContent, deadLetters }: DeliveredCounts): number[] {
  return [delivered ?? 0, rejected ?? 0, withoutContent ?? 0, deadLetters ?? 0];
}
