import type { Handle } from '../connection.ts';
import { rowsOf } from '../connection.ts';

/** People to whom a run has to apply what is stored. */
export function createPendingStore(handle: Handle) {
  return {
    /** Leaves them to a run. What the guard has to judge stays so. */
    async mark(personIds: readonly string[], pending: 'guarded' | 'free'): Promise<void> {
      await handle.raw(
        `update directory_people set pending = :pending
         where id = any(:personIds) and pending is distinct from 'guarded' and pending is distinct from :pending`,
        { personIds: [...personIds], pending },
      );
    },

    /** Returns those of the people whom no guarded run waits for. */
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
