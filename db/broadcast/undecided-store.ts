/** Keeps generations that the filters of a destination could not decide, until their prompt and answer are stored. */
import type { BroadcastEvent } from '../../domain/broadcast/event.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
import { EVENT_COLUMNS, type EventRow, joinEvents, toEvent } from './event-rows.ts';

/** A generation whose prompt and answer were stored after its destination had passed it. */
export interface LateEntry {
  generationId: string;
  /** Null: the generation is past its retention. */
  event: BroadcastEvent | null;
}

/** Stores undecided generations of destinations. */
export function createUndecidedStore(handle: Handle) {
  return {
    /** Counts generations as undecided. Keeps those whose prompt and answer were announced, because both may come. */
    async add(destinationId: string, events: readonly BroadcastEvent[]): Promise<void> {
      const announced = events.filter(({ facts }) => facts.hasContent === true);
      const rows = announced.map(({ generationId, createdAt, settledAt, facts }) => ({
        generation_id: generationId,
        created_at: createdAt,
        settled_at: settledAt,
        facts,
      }));
      await handle.raw(
        `with kept as (
           insert into broadcast_undecided (destination_id, generation_id, created_at, settled_at, facts)
           select ?, n.* from json_to_recordset(?) n
             (generation_id text, created_at timestamptz, settled_at timestamptz, facts json)
           on conflict do nothing)
         update broadcast_progress set undecided = undecided + ? where destination_id = ?`,
        [destinationId, JSON.stringify(rows), events.length, destinationId],
      );
    },

    /** Returns the oldest generations whose prompt and answer have been stored meanwhile. */
    async decidable(destinationId: string, limit: number): Promise<LateEntry[]> {
      const rows = await uncheckedRowsOf<EventRow & { generation_id: string }>(
        handle,
        `select u.generation_id, u.facts, ${EVENT_COLUMNS}
         from broadcast_undecided u ${joinEvents('u')}
         where u.destination_id = ? and exists (
           select from broadcast_bodies b
           where b.settled_at = u.settled_at and b.generation_id = u.generation_id)
         order by u.settled_at limit ?`,
        [destinationId, limit],
      );
      return rows.map((row) => ({ generationId: row.generation_id, event: toEvent(row) }));
    },

    /** Removes generations, of which `decided` are no longer counted as undecided. */
    async remove(destinationId: string, generationIds: readonly string[], decided: number): Promise<void> {
      await handle.raw(
        `with gone as (delete from broadcast_undecided where destination_id = ? and generation_id = any(?))
         update broadcast_progress set undecided = undecided - ? where destination_id = ?`,
        [destinationId, [...generationIds], decided, destinationId],
      );
    },

    /** Removes generations that the destination passed longer ago than `ageMs`. They stay counted. */
    async forgetOlderThan(destinationId: string, ageMs: number): Promise<void> {
      await handle.raw(
        `delete from broadcast_undecided
         where destination_id = ? and passed_at <= now() - ? * interval '1 millisecond'`,
        [destinationId, ageMs],
      );
    },
  };
}
