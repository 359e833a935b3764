/** Counts the members that a directory manages, and the removals that wait for approval. */
import type { Handle } from '../postgres/connection.ts';
import { int4, type RowOf, timestamptz } from '../postgres/shape.ts';
import { rowsOf } from '../postgres/statement.ts';
import { countRows } from './plain-rows.ts';

const HELD_REMOVALS = { count: int4, since: timestamptz.orNull };
/** The removals that wait for an administrator. */
export type HeldRemovals = RowOf<typeof HELD_REMOVALS>;

/** Reads the current effect of an organization's directory. */
export function createSourceStateReadModel(handle: Handle) {
  return {
    /** Returns the number of members that the directory manages. */
    async countManaged(organizationId: string): Promise<number> {
      return countRows(
        handle,
        `from organization_members m
         where m.organization_id = :organizationId
           and exists (select from directory_people p
                       where p.user_id = m.user_id and p.organization_id = :organizationId)`,
        { organizationId },
      );
    },

    async heldRemovals(organizationId: string): Promise<HeldRemovals> {
      const [row] = await rowsOf(
        handle,
        HELD_REMOVALS,
        `select count(*)::integer count, min(removal_held_at) since from directory_people
         where organization_id = :organizationId and removal_held_at is not null`,
        { organizationId },
      );
      return row!;
    },
  };
}
