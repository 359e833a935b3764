import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

/** Stores which people a run must apply. */
export function createPendingStore(handle: Handle) {
  return {
    /** Marks people for a run. A person who is marked `guarded` stays so, because the guard must check the removal. */
    async mark(personIds: readonly string[], pending: 'guarded' | 'free'): Promise<void> {
      await handle.raw(
        `update directory_people set pending = :pending
         where id = any(:personIds) and pending is distinct from 'guarded' and pending is distinct from :pending`,
        { personIds: [...personIds], pending },
      );
    },

    /** Returns those of the people whose removals need no check by the guard. */
    async unguarded(personIds: readonly string[]): Promise<string[]> {
      const rows = await uncheckedRowsOf<{ id: string }>(
        handle,
        `select id from directory_people where id = any(:personIds) and pending is distinct from 'guarded'`,
        { personIds: [...personIds] },
      );
      return rows.map(({ id }) => id);
    },
  };
}
