import type { Handle } from '../postgres/connection.ts';
import { idsOf } from '../postgres/results.ts';
import { run } from '../postgres/statement.ts';

/** Stores which people a run must apply. */
export function createPendingStore(handle: Handle) {
  return {
    /** Marks people for a run. A person who is marked `guarded` stays so, because the guard must check the removal. */
    async mark(personIds: readonly string[], pending: 'guarded' | 'free'): Promise<void> {
      await run(
        handle,
        `update directory_people set pending = :pending
         where id = any(:personIds) and pending is distinct from 'guarded' and pending is distinct from :pending`,
        { personIds, pending },
      );
    },

    /** Returns those of the people whose removals need no check by the guard. */
    unguarded: (personIds: readonly string[]): Promise<string[]> =>
      idsOf(
        handle,
        `select id from directory_people where id = any(:personIds) and pending is distinct from 'guarded'`,
        { personIds },
      ),
  };
}
