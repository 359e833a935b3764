import type { DirectoryGroup } from '../../domain/directory/group.ts';
import type { ScimAttributes } from '../../domain/directory/person.ts';
import { newUuid } from '../../domain/ids.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
import type { Sql } from '../postgres/sql-text.ts';
import { type DirectoryPage, readDirectoryPage } from './directory-page.ts';

interface GroupRow {
  id: string;
  organization_id: string;
  source_id: string | null;
  external_id: string | null;
  display_name: string;
  resource: ScimAttributes;
  members: number | null;
  version: string;
  created_at: Date;
  updated_at: Date;
}

export type GroupDraft = Pick<DirectoryGroup, 'displayName' | 'externalId' | 'resource'>;

/** Stores the groups of directories, without their members. Deleted groups keep their rows. */
export function createGroupStore(handle: Handle) {
  return {
    ...groupReads(handle),

    async insert(organizationId: string, draft: GroupDraft): Promise<DirectoryGroup> {
      const now = handle.raw('clock_timestamp()');
      const [row] = await handle('directory_groups')
        .insert({
          ...columnsOf(draft),
          id: newUuid(),
          organization_id: organizationId,
          members: 0,
          // The request that stores the group makes this version 1.
          version: 0,
          created_at: now,
          updated_at: now,
        })
        .returning<GroupRow[]>('*');
      if (row === undefined) throw new Error('insert returned no row');
      return toGroup(row);
    },

    /** Replaces the directory's data of a group. The version is increased separately, once per request. */
    async update(id: string, draft: GroupDraft): Promise<void> {
      await handle('directory_groups').where({ id }).update(columnsOf(draft));
    },

    /**
     * Increases the version of a changed group, and adds to its number of members. Members are counted only if the
     * number is unknown.
     */
    async bumpVersion(id: string, addedMembers: number): Promise<{ group: DirectoryGroup; members: number }> {
      const [row] = await uncheckedRowsOf<GroupRow & { members: number }>(
        handle,
        `update directory_groups
         set version = version + 1, updated_at = clock_timestamp(), members = coalesce(
           members + ?::integer,
           (select count(*) from directory_group_members where group_id = directory_groups.id))
         where id = ? returning *`,
        [addedMembers, id],
      );
      if (row === undefined) throw new Error('update found no row');
      return { group: toGroup(row), members: row.members };
    },

    /** Hides a group, and deletes its mappings. */
    async delete(id: string): Promise<void> {
      await handle('directory_mappings').where({ group_id: id }).delete();
      const now = handle.raw('clock_timestamp()');
      await handle('directory_groups')
        .where({ id })
        .update({ deleted_at: now, updated_at: now, version: handle.raw('version + 1') });
    },
  };
}

/** Builds the methods that read groups. */
function groupReads(handle: Handle) {
  return {
    async find(organizationId: string, id: string): Promise<DirectoryGroup | null> {
      const row = await handle<GroupRow>('directory_groups')
        .where({ organization_id: organizationId, id })
        .whereNull('deleted_at')
        .first();
      return row === undefined ? null : toGroup(row);
    },

    /** Returns whether another living group has the name, in any case. */
    async isNameTaken(
      organizationId: string,
      displayName: string,
      exceptId: string | null,
    ): Promise<boolean> {
      const [row] = await uncheckedRowsOf(
        handle,
        `select 1 from directory_groups
         where organization_id = ? and deleted_at is null and id is distinct from ?::uuid
           and lower(display_name) = lower(?)
         limit 1`,
        [organizationId, exceptId, displayName],
      );
      return row !== undefined;
    },

    /** Returns whether the group is mapped to a workspace. */
    async isMapped(id: string): Promise<boolean> {
      return (await handle('directory_mappings').where({ group_id: id }).first('id')) !== undefined;
    },

    /** Lists living groups, oldest first. */
    async list(
      organizationId: string,
      condition: Sql,
      page: DirectoryPage,
    ): Promise<{ groups: DirectoryGroup[]; totalCount: number }> {
      const found = await readDirectoryPage<GroupRow>(
        handle,
        'directory_groups',
        organizationId,
        condition,
        page,
      );
      return { groups: found.rows.map(toGroup), totalCount: found.totalCount };
    },
  };
}

function columnsOf({ displayName, externalId, resource }: GroupDraft) {
  return { display_name: displayName, external_id: externalId, resource: JSON.stringify(resource) };
}

function toGroup(row: GroupRow): DirectoryGroup {
  return {
    id: row.id,
    organizationId: row.organization_id,
    sourceId: row.source_id,
    externalId: row.external_id,
    displayName: row.display_name,
    resource: row.resource,
    version: Number(row.version),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
