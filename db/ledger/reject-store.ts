/** Stores generations that Postgres rejected, until an operator handles them. */
import type { Handle } from '../postgres/connection.ts';
import { countRows, firstRow } from '../postgres/results.ts';
import { type RowOf, selectList, text, timestamptz } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';

/** A completed generation whose row Postgres rejected. */
const REJECT = {
  generationId: text,
  /** The generation as JSON text. An operator may have edited it, so it may be invalid. */
  record: text,
  error: text,
  rejectedAt: timestamptz,
};
export type Reject = RowOf<typeof REJECT>;

const REJECTS = `select ${selectList(REJECT)} from generation_rejects`;

export function createRejectStore(handle: Handle) {
  return {
    count: (): Promise<number> => countRows(handle, 'from generation_rejects'),

    /** Lists rejects, the oldest first. */
    list: (limit: number): Promise<Reject[]> =>
      rowsOf(handle, REJECT, `${REJECTS} order by rejected_at, generation_id limit :limit`, { limit }),

    async find(generationId: string): Promise<Reject | null> {
      const statement = `${REJECTS} where generation_id = :generationId`;
      return firstRow(handle, REJECT, statement, { generationId });
    },

    /** Deletes a reject. Returns false if it was deleted already. */
    async delete(generationId: string): Promise<boolean> {
      const statement = 'delete from generation_rejects where generation_id = :generationId';
      return (await run(handle, statement, { generationId })) === 1;
    },
  };
}
