/** Lists directory groups for the administrators of an organization. */
import type { Handle } from '../postgres/connection.ts';
import { anyRows, countRows } from '../postgres/results.ts';
import { type RowOf, selectList, text, timestamptz, uuid } from '../postgres/shape.ts';
import { rowsOf } from '../postgres/statement.ts';

const LISTED_GROUP = {
  id: uuid,
  organizationId: uuid,
  externalId: text.orNull,
  displayName: text,
  createdAt: timestamptz,
  updatedAt: timestamptz,
};
/** A group in lists for administrators. */
export type ListedGroup = RowOf<typeof LISTED_GROUP>;

const LIVING = 'from directory_groups where organization_id = :organizationId and deleted_at is null';

/** Reads groups for administrators, without deleted ones. An organization sees only its own. */
export function createGroupReadModel(handle: Handle) {
  return {
    /** Lists groups, the oldest first. */
    async list(
      organizationId: string,
      page: { limit: number; offset: number },
    ): Promise<{ groups: ListedGroup[]; totalCount: number }> {
      const groups = await rowsOf(
        handle,
        LISTED_GROUP,
        `select ${selectList(LISTED_GROUP)} ${LIVING} order by created_at, id limit :limit offset :offset`,
        { organizationId, ...page },
      );
      const totalCount = await countRows(handle, LIVING, { organizationId });
      return { groups, totalCount };
    },

    exists: (organizationId: string, id: string): Promise<boolean> =>
      anyRows(handle, `select ${LIVING} and id = :id`, { organizationId, id }),
  };
}

export type GroupReadModel = ReturnType<typeof createGroupReadModel>;
