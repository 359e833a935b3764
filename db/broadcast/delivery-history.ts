/** Pages through recent attempts and refused generations of an observability destination. */
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
import type { BroadcastAttemptRow } from './attempt-store.ts';

/** An attempt to deliver generations. */
export interface ShownAttempt extends BroadcastAttemptRow {
  at: Date;
  outcome: 'delivered' | 'failed';
}

/** A dead letter, without its content. */
export interface ShownDeadLetter {
  id: string;
  generationId: string;
  generationCreatedAt: Date;
  reason: string;
  status: number | null;
  diedAt: Date;
  replayRequestedAt: Date | null;
}

interface Page {
  limit: number;
  offset: number;
}

const ATTEMPTS = `
  select at, outcome, events, bytes, status, reason, response_excerpt "responseExcerpt", took_ms "tookMs"
  from broadcast_attempts where destination_id = ? order by at desc, id desc limit ? offset ?`;

const DEAD_LETTERS = `
  select id, generation_id "generationId", created_at "generationCreatedAt", reason, status, died_at "diedAt",
    replay_requested_at "replayRequestedAt"
  from broadcast_dead_letters where destination_id = ? order by died_at desc, id desc limit ? offset ?`;

/** Reads attempts and dead letters of a destination for its owner, newest first. */
export function createDeliveryHistory(handle: Handle) {
  const count = async (table: string, destinationId: string): Promise<number> => {
    const [row] = await uncheckedRowsOf<{ n: string }>(
      handle,
      `select count(*) n from ${table} where destination_id = ?`,
      [destinationId],
    );
    return Number(row?.n ?? 0);
  };
  return {
    async attempts(
      destinationId: string,
      { limit, offset }: Page,
    ): Promise<{ attempts: ShownAttempt[]; totalCount: number }> {
      const attempts = await uncheckedRowsOf<ShownAttempt>(handle, ATTEMPTS, [destinationId, limit, offset]);
      return { attempts, totalCount: await count('broadcast_attempts', destinationId) };
    },

    async deadLetters(
      destinationId: string,
      { limit, offset }: Page,
    ): Promise<{ deadLetters: ShownDeadLetter[]; totalCount: number }> {
      const deadLetters = await uncheckedRowsOf<ShownDeadLetter>(handle, DEAD_LETTERS, [
        destinationId,
        limit,
        offset,
      ]);
      return { deadLetters, totalCount: await count('broadcast_dead_letters', destinationId) };
    },
  };
}
