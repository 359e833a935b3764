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

const SELECTED_LETTERS = `from broadcast_dead_letters
  where destination_id = :destinationId and (:since::timestamptz is null or died_at >= :since)`;

const DEAD_LETTERS = `
  select ${selectList(DEAD_LETTER, undefined, { generationCreatedAt: 'created_at' })} ${SELECTED_LETTERS}
  order by died_at desc, id desc limit :limit offset :offset`;

/** Reads attempts and dead letters of a destination for its owner, newest first. */
export function createDeliveryHistory(handle: Handle) {
  return {
    async attempts(
      destinationId: string,
      page: Page,
    ): Promise<{ attempts: ShownAttempt[]; totalCount: number }> {
      const attempts = await rowsOf(handle, ATTEMPT, ATTEMPTS, { destinationId, ...page });
      const from = 'from broadcast_attempts where destination_id = :destinationId';
      return { attempts, totalCount: await countRows(handle, from, { destinationId }) };
    },

    async deadLetters(
      destinationId: string,
      { since = null, ...page }: Page & { since?: Date | null | undefined },
    ): Promise<{ deadLetters: ShownDeadLetter[]; totalCount: number }> {
      const selected = { destinationId, since };
      const deadLetters = await rowsOf(handle, DEAD_LETTER, DEAD_LETTERS, { ...selected, ...page });
      return { deadLetters, totalCount: await countRows(handle, SELECTED_LETTERS, selected) };
    },
  };
}
