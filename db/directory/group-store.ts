import type { DirectoryGroup } from '../../domain/directory/group.ts';
import type { ScimAttributes } from '../../domain/directory/person.ts';
import { newUuid } from '../../domain/ids.ts';
import type { Handle } from '../postgres/connection.ts';
import { anyRows, firstRow, oneRow } from '../postgres/results.ts';
import { float8, int4, jsonb, selectList, text, timestamptz, uuid } from '../postgres/shape.ts';
import type { Sql } from '../postgres/sql-text.ts';
import { run } from '../postgres/statement.ts';
import { type DirectoryPage, readDirectoryPage } from './directory-page.ts';

const GROUP = {
  id: uuid,
  organizationId: uuid,
  sourceId: text.orNull,
  externalId: text.orNull,
  displayName: text,
  resource: jsonb<ScimAttributes>(),
  version: float8,
  createdAt: timestamptz,
  updatedAt: timestamptz,
};
const COLUMNS = selectList(GROUP, undefined, { version: 'version::float8' });

export type GroupDraft = Pick<DirectoryGroup, 'displayName' | 'externalId' | 'resource'>;

/** Stores the groups of directories, without their members. Deleted groups keep their rows. */
export function createGroupStore(handle: Handle) {
  return {
    ...groupReads(handle),

    async insert(organizationId: string, draft: GroupDraft): Promise<DirectoryGroup> {
      // The request that stores the group makes this version 1.
      return oneRow(
        handle,
        GROUP,
        `insert into directory_groups (id, organization_id, external_id, display_name, resource, members, version)
         values (:id, :organizationId, :externalId, :displayName, :resource, 0, 0) returning ${COLUMNS}`,
        { ...valuesOf(draft), id: newUuid(), organizationId },
      );
    },

    /** Replaces the directory's data of a group. The version is increased separately, once per request. */
    async update(id: string, draft: GroupDraft): Promise<void> {
      await run(
        handle,
        `update directory_groups set external_id = :externalId, display_name = :displayName, resource = :resource
         where id = :id`,
        { ...valuesOf(draft), id },
      );
    },

    /**
     * Increases the version of a changed group, and adds to its number of members. Members are counted only if the
     * number is unknown.
     */
    async bumpVersion(id: string, addedMembers: number): Promise<{ group: DirectoryGroup; members: number }> {
      const row = await oneRow(
        handle,
        { ...GROUP, members: int4 },
        `update directory_groups
         set version = version + 1, updated_at = clock_timestamp(), members = coalesce(
           members + :addedMembers::integer,
           (select count(*) from directory_group_members where group_id = directory_groups.id))
         where id = :id returning ${COLUMNS}, members`,
        { addedMembers, id },
      );
      const { members, ...group } = row;
      return { group, members };
    },

    /** Hides a group, and deletes its mappings. */
    async delete(id: string): Promise<void> {
      await run(handle, 'delete from directory_mappings where group_id = :id', { id });
      await run(
        handle,
        `update directory_groups
         set deleted_at = clock_timestamp(), updated_at = clock_timestamp(), version = version + 1 where id = :id`,
        { id },
      );
    },
  };
}

/** Builds the methods that read groups. */
function groupReads(handle: Handle) {
  return {
    find: (organizationId: string, id: string): Promise<DirectoryGroup | null> =>
      firstRow(
        handle,
        GROUP,
        `select ${COLUMNS} from directory_groups
         where organization_id = :organizationId and id = :id and deleted_at is null`,
        { organizationId, id },
      ),

    /** Returns whether another living group has the name, in any case. */
    isNameTaken: (organizationId: string, displayName: string, exceptId: string | null): Promise<boolean> =>
      anyRows(
        handle,
        `select from directory_groups
         where organization_id = :organizationId and deleted_at is null and id is distinct from :exceptId::uuid
           and lower(display_name) = lower(:displayName) limit 1`,
        { organizationId, exceptId, displayName },
      ),

    /** Returns whether the group is mapped to a workspace. */
    isMapped: (id: string): Promise<boolean> =>
      anyRows(handle, 'select from directory_mappings where group_id = :id limit 1', { id }),

    /** Lists living groups, oldest first. */
    async list(
      organizationId: string,
      condition: Sql,
      page: DirectoryPage,
    ): Promise<{ groups: DirectoryGroup[]; totalCount: number }> {
      const found = await readDirectoryPage(handle, PAGE_ROWS, organizationId, condition, page);
      return { groups: found.rows, totalCount: found.totalCount };
    },
  };
}

const PAGE_ROWS = { table: 'directory_groups', shape: GROUP, columns: COLUMNS } as const;

function valuesOf({ displayName, externalId, resource }: GroupDraft) {
  return { displayName, externalId, resource: JSON.stringify(resource) };
}
