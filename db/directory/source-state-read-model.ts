import { type Handle, rowsOf } from '../connection.ts';

/** How many removals wait for an administrator, and since when. */
export interface HeldRemovals {
  count: number;
  since: Date | null;
}

/** Reads what a directory means for an organization at this moment. */
export function createSourceStateReadModel(handle: Handle) {
  return {
    /** Counts the members of the organization whom the directory manages. */
    async countManaged(organizationId: string): Promise<number> {
      const [row] = await rowsOf<{ people: number }>(
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
      const [row] = await rowsOf<HeldRemovals>(
        handle,
        `select count(*)::integer count, min(removal_held_at) since from directory_people
         where organization_id = ? and removal_held_at is not null`,
        [organizationId],
      );
      return row ?? { count: 0, since: null };
    },
  };
}
