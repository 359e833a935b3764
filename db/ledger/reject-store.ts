/** Stores generations that Postgres refused to record, until an operator handles them. */
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

/** A completed generation whose row Postgres refused. */
export interface Reject {
  generationId: string;
  /** The generation as JSON, unless an operator has edited it. */
  record: string;
  error: string;
  rejectedAt: Date;
}

interface Row {
  generation_id: string;
  record: string;
  error: string;
  rejected_at: Date;
}

export function createRejectStore(handle: Handle) {
  return {
    async count(): Promise<number> {
      const [row] = await uncheckedRowsOf<{ count: string }>(
        handle,
        'select count(*) from generation_rejects',
        [],
      );
      return Number(row?.count ?? 0);
    },

    /** Lists rejects, the oldest first. */
    async list(limit: number): Promise<Reject[]> {
      const rows = await uncheckedRowsOf<Row>(
        handle,
        'select * from generation_rejects order by rejected_at, generation_id limit ?',
        [limit],
      );
      return rows.map(toReject);
    },

    async find(generationId: string): Promise<Reject | null> {
      const [row] = await uncheckedRowsOf<Row>(
        handle,
        'select * from generation_rejects where generation_id = ?',
        [generationId],
      );
      return row === undefined ? null : toReject(row);
    },

    /** Deletes a reject. Returns false if it was deleted already. */
    async delete(generationId: string): Promise<boolean> {
      return (await handle('generation_rejects').where({ generation_id: generationId }).delete()) === 1;
    },
  };
}

function toReject(row: Row): Reject {
  const { generation_id: generationId, record, error, rejected_at: rejectedAt } = row;
  return { generationId, record, error, rejectedAt };
}
