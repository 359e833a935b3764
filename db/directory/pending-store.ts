import type { Handle } from '../connection.ts';
import { rowsOf } from '../connection.ts';

/** Stores which people a run has to apply. */
export function createPendingStore(handle: Handle) {
  return {
    /** Marks people for a run. People for the guard stay so. */
    async mark(personIds: readonly string[], pending: 'guarded' | 'free'): Promise<void> {
      await handle.raw(
        `update directory_people set pending = :pending
         where id = any(:personIds) and pending is distinct from 'guarded' and pending is distinct from :pending`,
        { personIds: [...personIds], pending },
      );
    },

    /** Returns the people that wait for no guarded run. */
    async unguarded(personIds: readonly string[]): Promise<string[]> {
      const rows = await rowsOf<{ id: string }>(
        handle,
        `select id from directory_people where id = any(:personIds) and pending is distinct from 'guarded'`,
        { personIds: [...personIds] },
      );
      return rows.map(({ id }) => id);
    },
  };
}
