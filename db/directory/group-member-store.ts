/** Reads, adds, replaces and removes the members of directory groups. */
import { UUID_PATTERN } from '../../domain/ids.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

/** A member of a group, as the response for its group shows it. */
export interface GroupMember {
  groupId: string;
  /** The SCIM id of the person, or the value in the group if no such person is known. */
  value: string;
  /** Null while the person is unknown. */
  display: string | null;
}

/** A group as the response for its member shows it. */
export interface GroupOfPerson {
  personId: string;
  groupId: string;
  displayName: string;
}

/** The result of a change of members. */
export interface MemberChange {
  count: number;
  /** The known people among the added or removed members. */
  personIds: string[];
}

interface ChangedRow {
  person_id: string | null;
}

/**
 * SQL that finds the person of each value; null if there is none. Its three bindings are the values and the
 * organization's id, twice.
 */
const RESOLVED = `
      select given.value, coalesce(by_id.id, by_source.id) as person_id
      from (select value, case when value ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then value::uuid end as id
            from unnest(?::text[]) value) given
      left join directory_people by_id
        on by_id.id = given.id and by_id.organization_id = ?::uuid and by_id.deleted_at is null
      left join directory_people by_source
        on by_source.organization_id = ?::uuid and by_source.source_id = given.value and by_source.deleted_at is null`;

/** SQL for `requested`, which has each value or person once. It takes the bindings of `RESOLVED`. */
const REQUESTED = `
  requested as (
    select distinct on (coalesce(person_id::text, value)) value, person_id
    from (${RESOLVED}) resolved
  )`;

const SHOWN_MEMBERS = `
  select member.group_id as "groupId", coalesce(person.id::text, member.value) as value,
    coalesce(person.resource ->> 'displayName', person.user_name) as display
  from directory_group_members member
  left join directory_people person on person.id = member.person_id and person.deleted_at is null`;

/** Stores the members of groups. Each change is one statement, even for large groups. */
export function createGroupMemberStore(handle: Handle) {
  return {
    ...memberLists(handle),
    ...memberRemovals(handle),

    /** Adds members. Existing members stay unchanged. */
    async add(organizationId: string, groupId: string, values: readonly string[]): Promise<MemberChange> {
      const rows = await uncheckedRowsOf<ChangedRow>(
        handle,
        `with ${REQUESTED}
         insert into directory_group_members (group_id, value, person_id)
         select ?, value, person_id from requested
         where not exists (
           select 1 from directory_group_members known
           where known.group_id = ? and known.person_id = requested.person_id)
         on conflict do nothing
         returning person_id`,
        [values as string[], organizationId, organizationId, groupId, groupId],
      );
      return changeOf(rows);
    },
  };
}

/** Builds the methods that read members of groups. */
function memberLists(handle: Handle) {
  return {
    ...memberIds(handle),

    async list(groupIds: readonly string[]): Promise<GroupMember[]> {
      return uncheckedRowsOf<GroupMember>(
        handle,
        `${SHOWN_MEMBERS}
         where member.group_id = any(?::uuid[])
         order by member.group_id, member.value`,
        [groupIds as string[]],
      );
    },

    /** Lists the first members of a group without reading the others. */
    async listFirst(groupId: string, limit: number): Promise<GroupMember[]> {
      return uncheckedRowsOf<GroupMember>(
        handle,
        `${SHOWN_MEMBERS} where member.group_id = ? order by member.value limit ?`,
        [groupId, limit],
      );
    },

    /** Lists the living groups of people. */
    async groupsOf(personIds: readonly string[]): Promise<GroupOfPerson[]> {
      return uncheckedRowsOf<GroupOfPerson>(
        handle,
        `select member.person_id as "personId", member.group_id as "groupId",
           directory_groups.display_name as "displayName"
         from directory_group_members member
         join directory_groups on directory_groups.id = member.group_id
         where member.person_id = any(?::uuid[]) and directory_groups.deleted_at is null
         order by directory_groups.created_at, directory_groups.id`,
        [personIds as string[]],
      );
    },
  };
}

/** Builds the methods that read the ids of members. */
function memberIds(handle: Handle) {
  return {
    /** Returns the SCIM id of each known person that a value names. */
    async idsOf(organizationId: string, values: readonly string[]): Promise<Map<string, string>> {
      const rows = await uncheckedRowsOf<{ value: string; person_id: string }>(
        handle,
        `select value, person_id from (${RESOLVED}) resolved where person_id is not null`,
        [values as string[], organizationId, organizationId],
      );
      return new Map(rows.map((row) => [row.value, row.person_id]));
    },

    /** Links a new person to the groups that named the person before. */
    async resolve(organizationId: string, personId: string, sourceId: string | null): Promise<void> {
      await handle.raw(
        `update directory_group_members member set person_id = ?
         from directory_groups
         where directory_groups.id = member.group_id and directory_groups.organization_id = ?
           and member.person_id is null and member.value = any(?::text[])`,
        [personId, organizationId, sourceId === null ? [personId] : [personId, sourceId]],
      );
    },

    /** Counts the members of each group. Groups without members are left out. */
    async countOf(groupIds: readonly string[]): Promise<Map<string, number>> {
      const rows = await uncheckedRowsOf<{ group_id: string; n: string }>(
        handle,
        `select group_id, count(*) as n from directory_group_members
         where group_id = any(?::uuid[]) group by group_id`,
        [groupIds as string[]],
      );
      return new Map(rows.map(({ group_id: id, n }) => [id, Number(n)]));
    },
  };
}

/** Builds the methods that remove members from groups. */
function memberRemovals(handle: Handle) {
  return {
    async remove(groupId: string, values: readonly string[]): Promise<MemberChange> {
      const rows = await uncheckedRowsOf<ChangedRow>(
        handle,
        `delete from directory_group_members
         where group_id = ? and (value = any(?::text[]) or person_id = any(?::uuid[]))
         returning person_id`,
        [groupId, values as string[], values.filter((value) => UUID_PATTERN.test(value))],
      );
      return changeOf(rows);
    },

    /** Removes all members except those with these values. */
    async removeOthers(
      organizationId: string,
      groupId: string,
      values: readonly string[],
    ): Promise<MemberChange> {
      const rows = await uncheckedRowsOf<ChangedRow>(
        handle,
        `with ${REQUESTED}
         delete from directory_group_members member
         where group_id = ?
           and not exists (select 1 from requested where requested.value = member.value)
           and not exists (select 1 from requested where requested.person_id = member.person_id)
         returning person_id`,
        [values as string[], organizationId, organizationId, groupId],
      );
      return changeOf(rows);
    },

    async removeAll(groupId: string): Promise<MemberChange> {
      const rows = await uncheckedRowsOf<ChangedRow>(
        handle,
        'delete from directory_group_members where group_id = ? returning person_id',
        [groupId],
      );
      return changeOf(rows);
    },

    /** Removes a person from all groups and increases the groups' versions. */
    async removePerson(personId: string): Promise<void> {
      await handle.raw(
        `with gone as (delete from directory_group_members where person_id = ? returning group_id),
           smaller as (select group_id, count(*)::integer as n from gone group by group_id)
         update directory_groups
         set version = version + 1, updated_at = clock_timestamp(), members = members - smaller.n
         from smaller where id = smaller.group_id`,
        [personId],
      );
    },
  };
}

function changeOf(rows: readonly ChangedRow[]): MemberChange {
  const personIds = rows.map(({ person_id: id }) => id).filter((id) => id !== null);
  return { count: rows.length, personIds };
}
