/**
 * Keeps generations that an observability tool refused, and replays them when the owner of the destination requests it.
 */
import type { BroadcastEvent } from '../../domain/broadcast/event.ts';
import { newUuid } from '../../domain/ids.ts';
import type { Handle } from '../postgres/connection.ts';
import { text, uuid } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';
import { EVENT_COLUMNS, EVENT_ROW, joinEvents, toEvent } from './event-rows.ts';

export interface NewDeadLetter {
  event: BroadcastEvent;
  reason: string;
  status: number | null;
  contentSealed: string | null;
}

/** The dead letters to send again: all of the destination that meet both conditions. */
export interface DeadLetterSelection {
  ids?: readonly string[] | undefined;
  /** The time from which generations became dead letters. */
  since?: Date | undefined;
}

export interface DeadLetter {
  id: string;
  /** Null: the generation is past its retention. */
  event: BroadcastEvent | null;
  contentSealed: string | null;
}

const LETTER = { ...EVENT_ROW, id: uuid, contentSealed: text.orNull };

/** SQL: locks letters in the order of their ids, which prevents deadlocks. */
const LOCKED = 'select id from broadcast_dead_letters';
const IN_ORDER = 'order by id for update';

/** Stores generations that a tool refused for their content. */
export function createDeadLetterStore(handle: Handle) {
  return {
    ...replayRequests(handle),

    /**
     * Adds a dead letter. Returns 0 if the destination already has one for the generation, which may be sent more than
     * once.
     */
    add: (destinationId: string, { event, reason, status, contentSealed }: NewDeadLetter): Promise<number> =>
      run(
        handle,
        `insert into broadcast_dead_letters as l
           (id, destination_id, created_at, generation_id, facts, content_sealed, reason, status)
         values (:id, :destinationId, :createdAt, :generationId, :facts, :contentSealed, :reason, :status)
         on conflict (destination_id, generation_id) do nothing`,
        {
          id: newUuid(),
          destinationId,
          createdAt: event.createdAt,
          generationId: event.generationId,
          facts: JSON.stringify(event.facts),
          contentSealed,
          reason,
          status,
        },
      ),

    /** Deletes letters that were delivered, or that have nothing left to send. */
    async delete(ids: readonly string[]): Promise<void> {
      await run(
        handle,
        `delete from broadcast_dead_letters where id in (${LOCKED} where id = any(:ids) ${IN_ORDER})`,
        { ids },
      );
    },

    /** Deletes up to `limit` letters older than `retentionMs`. Returns the number. */
    deleteOld: (retentionMs: number, limit: number): Promise<number> =>
      run(
        handle,
        `delete from broadcast_dead_letters where id in (
           select id from broadcast_dead_letters
           where died_at < now() - :retentionMs * interval '1 millisecond' order by died_at limit :limit)`,
        { retentionMs, limit },
      ),
  };
}

/** Builds the methods for the replay of dead letters. */
function replayRequests(handle: Handle) {
  return {
    /** Requests the replay of letters of the destination. Returns the number. */
    requestReplay: (destinationId: string, { ids, since }: DeadLetterSelection = {}): Promise<number> =>
      run(
        handle,
        `update broadcast_dead_letters set replay_requested_at = coalesce(replay_requested_at, now())
         where id in (
           ${LOCKED} where destination_id = :destinationId and (:ids::uuid[] is null or id = any(:ids))
             and (:since::timestamptz is null or died_at >= :since) ${IN_ORDER})`,
        { destinationId, ids: ids ?? null, since: since ?? null },
      ),

    /** Returns the next letters with a requested replay, the oldest request first. */
    async requested(destinationId: string, limit: number): Promise<DeadLetter[]> {
      const rows = await rowsOf(
        handle,
        LETTER,
        `select l.id, l.facts, l.content_sealed "contentSealed", ${EVENT_COLUMNS}
         from broadcast_dead_letters l ${joinEvents('l')}
         where l.destination_id = :destinationId and l.replay_requested_at is not null
         order by l.replay_requested_at, l.died_at limit :limit`,
        { destinationId, limit },
      );
      return rows.map(({ id, contentSealed, ...row }) => ({ id, event: toEvent(row), contentSealed }));
    },

    /** Records that the tool refused the letters once more, which ends their replay. */
    async refuseReplay(ids: readonly string[], reason: string, status: number | null): Promise<void> {
      await run(
        handle,
        `update broadcast_dead_letters set replay_requested_at = null, reason = :reason, status = :status
         where id = any(:ids)`,
        { ids, reason, status },
      );
    },
  };
}
