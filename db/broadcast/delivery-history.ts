/** Pages through recent attempts and refused generations of an observability destination. */
import type { Handle } from '../postgres/connection.ts';
import { countRows } from '../postgres/results.ts';
import * as column from '../postgres/shape.ts';
import { type RowOf, selectList } from '../postgres/shape.ts';
import { rowsOf } from '../postgres/statement.ts';

const ATTEMPT = {
  at: column.timestamptz,
  outcome: column.oneOf(['delivered', 'failed']),
  events: column.int4,
  bytes: column.int4.orNull,
  status: column.int2.orNull,
  reason: column.text.orNull,
  responseExcerpt: column.text.orNull,
  tookMs: column.int4,
};
/** An attempt to deliver generations. */
export type ShownAttempt = RowOf<typeof ATTEMPT>;

const DEAD_LETTER = {
  id: column.uuid,
  generationId: column.text,
  generationCreatedAt: column.timestamptz,
  reason: column.text,
  status: column.int2.orNull,
  diedAt: column.timestamptz,
  replayRequestedAt: column.timestamptz.orNull,
};
/** A dead letter, without its content. */
export type ShownDeadLetter = RowOf<typeof DEAD_LETTER>;

interface Page {
  limit: number;
  offset: number;
}

const ATTEMPTS = `select ${selectList(ATTEMPT)} from broadcast_attempts
  where destination_id = :destinationId order by at desc, id desc limit :limit offset :offset`;

const DEAD_LETTERS = `
  select ${selectList(DEAD_LETTER, undefined, { generationCreatedAt: 'created_at' })} from broadcast_dead_letters
  where destination_id = :destinationId order by died_at desc, id desc limit :limit offset :offset`;

/** Reads attempts and dead letters of a destination for its owner, newest first. */
export function createDeliveryHistory(handle: Handle) {
  const count = (table: string, destinationId: string): Promise<number> =>
    countRows(handle, `from ${table} where destination_id = :destinationId`, { destinationId });
  return {
    async attempts(
      destinationId: string,
      page: Page,
    ): Promise<{ attempts: ShownAttempt[]; totalCount: number }> {
      const attempts = await rowsOf(handle, ATTEMPT, ATTEMPTS, { destinationId, ...page });
      return { attempts, totalCount: await count('broadcast_attempts', destinationId) };
    },

    async deadLetters(
      destinationId: string,
      page: Page,
    ): Promise<{ deadLetters: ShownDeadLetter[]; totalCount: number }> {
      const deadLetters = await rowsOf(handle, DEAD_LETTER, DEAD_LETTERS, { destinationId, ...page });
      return { deadLetters, totalCount: await count('broadcast_dead_letters', destinationId) };
    },
  };
}
