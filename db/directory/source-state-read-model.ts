/** Counts the members that a directory manages, and the removals that wait for approval. */
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

/** The removals that wait for an administrator. */
export interface HeldRemovals {
  count: number;
  since: Date | null;
}

/** Reads the current effect of an organization's directory. */
export function createSourceStateReadModel(handle: Handle) {
  return {
    /** Returns the number of members that the directory manages. */
    async countManaged(organizationId: string): Promise<number> {
      const [row] = await uncheckedRowsOf<{ people: number }>(
        handle,
        `select count(*)::integer people from organization_members m
         where m.organization_id = :organizationId
           and exists (select from directory_people p
                       where p.user_id = m.user_id and p.organization_id = :organizationId)`,
        { organizationId },
      );
      return row?.people ?? 0;
    },

    async heldRemovals(organizationId: string): Promise<HeldRemovals> {
      const [row] = await uncheckedRowsOf<HeldRemovals>(
        handle,
        `select count(*)::integer count, min(removal_held_at) since from directory_people
         where organization_id = ? and removal_held_at is not null`,
        [organizationId],
      );
      return row ?? { count: 0, since: null };
    },
  };
}
