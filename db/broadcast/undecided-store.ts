/** Keeps generations that the filters of a destination could not decide, until their prompt and answer are stored. */
import type { BroadcastEvent } from '../../domain/broadcast/event.ts';
import type { Handle } from '../postgres/connection.ts';
import { text } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';
import { EVENT_COLUMNS, EVENT_ROW, joinEvents, toEvent } from './event-rows.ts';

/** A generation whose prompt and answer were stored after its destination had passed it. */
export interface LateEntry {
  generationId: string;
  /** Null: the generation is past its retention. */
  event: BroadcastEvent | null;
}

const UNDECIDED = { ...EVENT_ROW, undecidedId: text };

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
      await run(
        handle,
        `with kept as (
           insert into broadcast_undecided (destination_id, generation_id, created_at, settled_at, facts)
           select :destinationId, n.* from json_to_recordset(:rows) n
             (generation_id text, created_at timestamptz, settled_at timestamptz, facts json)
           on conflict do nothing)
         update broadcast_progress set undecided = undecided + :count where destination_id = :destinationId`,
        { destinationId, rows: JSON.stringify(rows), count: events.length },
      );
    },

    /** Returns the oldest generations whose prompt and answer have been stored meanwhile. */
    async decidable(destinationId: string, limit: number): Promise<LateEntry[]> {
      const rows = await rowsOf(
        handle,
        UNDECIDED,
        `select u.generation_id "undecidedId", u.facts, ${EVENT_COLUMNS}
         from broadcast_undecided u ${joinEvents('u')}
         where u.destination_id = :destinationId and exists (
           select from broadcast_bodies b
           where b.settled_at = u.settled_at and b.generation_id = u.generation_id)
         order by u.settled_at limit :limit`,
        { destinationId, limit },
      );
      return rows.map(({ undecidedId, ...row }) => ({ generationId: undecidedId, event: toEvent(row) }));
    },

    /** Removes generations, of which `decided` are no longer counted as undecided. */
    async remove(destinationId: string, generationIds: readonly string[], decided: number): Promise<void> {
      await run(
        handle,
        `with gone as (
           delete from broadcast_undecided
           where destination_id = :destinationId and generation_id = any(:generationIds))
         update broadcast_progress set undecided = undecided - :decided where destination_id = :destinationId`,
        { destinationId, generationIds, decided },
      );
    },

    /** Removes generations that the destination passed longer ago than `ageMs`. They stay counted. */
    async forgetOlderThan(destinationId: string, ageMs: number): Promise<void> {
      await run(
        handle,
        `delete from broadcast_undecided
         where destination_id = :destinationId and passed_at <= now() - :ageMs * interval '1 millisecond'`,
        { destinationId, ageMs },
      );
    },
  };
}
