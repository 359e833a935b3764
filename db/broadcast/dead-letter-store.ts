/**
 * Keeps generations that an observability tool refused, and replays them when the owner of the destination requests it.
 */
import type { BroadcastEvent } from '../../domain/broadcast/event.ts';
import { newUuid } from '../../domain/ids.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
import { EVENT_COLUMNS, type EventRow, joinEvents, toEvent } from './event-rows.ts';

export interface NewDeadLetter {
  event: BroadcastEvent;
  reason: string;
  status: number | null;
  contentSealed: string | null;
}

export interface DeadLetter {
  id: string;
  /** Null: the generation is past its retention. */
  event: BroadcastEvent | null;
  contentSealed: string | null;
}

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
    async add(
      destinationId: string,
      { event, reason, status, contentSealed }: NewDeadLetter,
    ): Promise<number> {
      const { rowCount } = await handle.raw<{ rowCount: number }>(
        `insert into broadcast_dead_letters as l
           (id, destination_id, created_at, generation_id, facts, content_sealed, reason, status)
         values (?, ?, ?, ?, ?, ?, ?, ?)
         on conflict (destination_id, generation_id) do nothing`,
        [
          newUuid(),
          destinationId,
          event.createdAt,
          event.generationId,
          JSON.stringify(event.facts),
          contentSealed,
          reason,
          status,
        ],
      );
      return rowCount;
    },

    /** Deletes letters that were delivered, or that have nothing left to send. */
    async delete(ids: readonly string[]): Promise<void> {
      await handle.raw(
        `delete from broadcast_dead_letters where id in (${LOCKED} where id = any(?) ${IN_ORDER})`,
        [[...ids]],
      );
    },

    /** Deletes up to `limit` letters older than `retentionMs`. Returns the number. */
    async deleteOld(retentionMs: number, limit: number): Promise<number> {
      const { rowCount } = await handle.raw<{ rowCount: number }>(
        `delete from broadcast_dead_letters where id in (
           select id from broadcast_dead_letters
           where died_at < now() - ? * interval '1 millisecond' order by died_at limit ?)`,
        [retentionMs, limit],
      );
      return rowCount;
    },
  };
}

/** Builds the methods for the replay of dead letters. */
function replayRequests(handle: Handle) {
  return {
    /** Requests the replay of the letters with these ids, or of all letters of the destination. Returns the number. */
    async requestReplay(destinationId: string, ids: readonly string[] | null = null): Promise<number> {
      const { rowCount } = await handle.raw<{ rowCount: number }>(
        `update broadcast_dead_letters set replay_requested_at = coalesce(replay_requested_at, now())
         where id in (${LOCKED} where destination_id = ? and (?::uuid[] is null or id = any(?)) ${IN_ORDER})`,
        [destinationId, ids && [...ids], ids && [...ids]],
      );
      return rowCount;
    },

    /** Returns the next letters with a requested replay, the oldest request first. */
    async requested(destinationId: string, limit: number): Promise<DeadLetter[]> {
      const rows = await uncheckedRowsOf<EventRow & { letter_id: string; content_sealed: string | null }>(
        handle,
        `select l.id letter_id, l.facts, l.content_sealed, ${EVENT_COLUMNS}
         from broadcast_dead_letters l ${joinEvents('l')}
         where l.destination_id = ? and l.replay_requested_at is not null
         order by l.replay_requested_at, l.died_at limit ?`,
        [destinationId, limit],
      );
      return rows.map((row) => ({
        id: row.letter_id,
        event: toEvent(row),
        contentSealed: row.content_sealed,
      }));
    },

    /** Records that the tool refused the letters once more, which ends their replay. */
    async refuseReplay(ids: readonly string[], reason: string, status: number | null): Promise<void> {
      await handle.raw(
        `update broadcast_dead_letters set replay_requested_at = null, reason = ?, status = ? where id = any(?)`,
        [reason, status, [...ids]],
      );
    },
  };
}
