/** Counts the members that a directory manages, and the removals that wait for approval. */
import type { Handle } from '../postgres/connection.ts';
import { countRows, oneRow } from '../postgres/results.ts';
import { int4, type RowOf, timestamptz } from '../postgres/shape.ts';

const HELD_REMOVALS = { count: int4, since: timestamptz.orNull };
/** The removals that wait for an administrator. */
export type HeldRemovals = RowOf<typeof HELD_REMOVALS>;

/** Reads the current effect of an organization's directory. */
export function createSourceStateReadModel(handle: Handle) {
  return {
    /** Returns the number of members that the directory manages. */
    countManaged: (organizationId: string): Promise<number> =>
      countRows(
        handle,
        `from organization_members m
         where m.organization_id = :organizationId
           and exists (select from directory_people p
                       where p.user_id = m.user_id and p.organization_id = :organizationId)`,
        { organizationId },
      ),

    heldRemovals: (organizationId: string): Promise<HeldRemovals> =>
      oneRow(
        handle,
        HELD_REMOVALS,
        `select count(*)::integer count, min(removal_held_at) since from directory_people
         where organization_id = :organizationId and removal_held_at is not null`,
        { organizationId },
      ),
  };
}
