/** Reads, adds, replaces and removes the members of directory groups. */
import { UUID_PATTERN } from '../../domain/ids.ts';
import type { Handle } from '../postgres/connection.ts';
import { int4, type RowOf, selectList, text, uuid } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';

const GROUP_MEMBER = {
  groupId: uuid,
  /** The SCIM id of the person, or the value in the group if no such person is known. */
  value: text,
  /** Null while the person is unknown. */
  display: text.orNull,
};
/** A member of a group, as the response for its group shows it. */
export type GroupMember = RowOf<typeof GROUP_MEMBER>;

const GROUP_OF_PERSON = { personId: uuid, groupId: uuid, displayName: text };
/** A group as the response for its member shows it. */
export type GroupOfPerson = RowOf<typeof GROUP_OF_PERSON>;

/** The result of a change of members. */
export interface MemberChange {
  count: number;
  /** The known people among the added or removed members. */
  personIds: string[];
}

const CHANGED = { personId: uuid.orNull };

/** SQL that finds the person of each of `:values` in `:organizationId`; null if there is none. */
const RESOLVED = `
      select given.value, coalesce(by_id.id, by_source.id) as person_id
      from (select value, case when value ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then value::uuid end as id
            from unnest(:values::text[]) value) given
      left join directory_people by_id
        on by_id.id = given.id and by_id.organization_id = :organizationId::uuid and by_id.deleted_at is null
      left join directory_people by_source
        on by_source.organization_id = :organizationId::uuid and by_source.source_id = given.value and by_source.deleted_at is null`;

/** SQL for `requested`, which has each value or person of `RESOLVED` once. */
const REQUESTED = `
  requested as (
    select distinct on (coalesce(person_id::text, value)) value, person_id
    from (${RESOLVED}) resolved
  )`;

const SHOWN_MEMBERS = `
  select ${selectList(GROUP_MEMBER, 'member', {
    value: 'coalesce(person.id::text, member.value)',
    display: `coalesce(person.resource ->> 'displayName', person.user_name)`,
  })}
  from directory_group_members member
  left join directory_people person on person.id = member.person_id and person.deleted_at is null`;

/** Stores the members of groups. Each change is one statement, even for large groups. */
export function createGroupMemberStore(handle: Handle) {
  return {
    ...memberLists(handle),
    ...memberRemovals(handle),

    /** Adds members. Existing members stay unchanged. */
    async add(organizationId: string, groupId: string, values: readonly string[]): Promise<MemberChange> {
      const rows = await rowsOf(
        handle,
        CHANGED,
        `with ${REQUESTED}
         insert into directory_group_members (group_id, value, person_id)
         select :groupId, value, person_id from requested
         where not exists (
           select 1 from directory_group_members known
           where known.group_id = :groupId and known.person_id = requested.person_id)
         on conflict do nothing
         returning person_id "personId"`,
        { values, organizationId, groupId },
      );
      return changeOf(rows);
    },
  };
}

/** Builds the methods that read members of groups. */
function memberLists(handle: Handle) {
  return {
    ...memberIds(handle),

    list: (groupIds: readonly string[]): Promise<GroupMember[]> =>
      rowsOf(
        handle,
        GROUP_MEMBER,
        `${SHOWN_MEMBERS}
         where member.group_id = any(:groupIds::uuid[])
         order by member.group_id, member.value`,
        { groupIds },
      ),

    /** Lists the first members of a group without reading the others. */
    listFirst: (groupId: string, limit: number): Promise<GroupMember[]> =>
      rowsOf(
        handle,
        GROUP_MEMBER,
        `${SHOWN_MEMBERS} where member.group_id = :groupId order by member.value limit :limit`,
        { groupId, limit },
      ),

    /** Lists the living groups of people. */
    groupsOf: (personIds: readonly string[]): Promise<GroupOfPerson[]> =>
      rowsOf(
        handle,
        GROUP_OF_PERSON,
        `select ${selectList(GROUP_OF_PERSON, 'member', { displayName: 'directory_groups.display_name' })}
         from directory_group_members member
         join directory_groups on directory_groups.id = member.group_id
         where member.person_id = any(:personIds::uuid[]) and directory_groups.deleted_at is null
         order by directory_groups.created_at, directory_groups.id`,
        { personIds },
      ),
  };
}

/** Builds the methods that read the ids of members. */
function memberIds(handle: Handle) {
  return {
    /** Returns the SCIM id of each known person that a value names. */
    async idsOf(organizationId: string, values: readonly string[]): Promise<Map<string, string>> {
      const rows = await rowsOf(
        handle,
        { value: text, personId: uuid },
        `select value, person_id "personId" from (${RESOLVED}) resolved where person_id is not null`,
        { values, organizationId },
      );
      return new Map(rows.map(({ value, personId }) => [value, personId]));
    },

    /** Links a new person to the groups that named the person before. */
    async resolve(organizationId: string, personId: string, sourceId: string | null): Promise<void> {
      await run(
        handle,
        `update directory_group_members member set person_id = :personId
         from directory_groups
         where directory_groups.id = member.group_id and directory_groups.organization_id = :organizationId
           and member.person_id is null and member.value = any(:values::text[])`,
        { personId, organizationId, values: sourceId === null ? [personId] : [personId, sourceId] },
      );
    },

    /** Counts the members of each group. Groups without members are left out. */
    async countOf(groupIds: readonly string[]): Promise<Map<string, number>> {
      const rows = await rowsOf(
        handle,
        { id: uuid, n: int4 },
        `select group_id id, count(*)::int n from directory_group_members
         where group_id = any(:groupIds::uuid[]) group by group_id`,
        { groupIds },
      );
      return new Map(rows.map(({ id, n }) => [id, n]));
    },
  };
}

/** Builds the methods that remove members from groups. */
function memberRemovals(handle: Handle) {
  return {
    async remove(groupId: string, values: readonly string[]): Promise<MemberChange> {
      const rows = await rowsOf(
        handle,
        CHANGED,
        `delete from directory_group_members
         where group_id = :groupId and (value = any(:values::text[]) or person_id = any(:ids::uuid[]))
         returning person_id "personId"`,
        { groupId, values, ids: values.filter((value) => UUID_PATTERN.test(value)) },
      );
      return changeOf(rows);
    },

    /** Removes all members except those with these values. */
    async removeOthers(
      organizationId: string,
      groupId: string,
      values: readonly string[],
    ): Promise<MemberChange> {
      const rows = await rowsOf(
        handle,
        CHANGED,
        `with ${REQUESTED}
         delete from directory_group_members member
         where group_id = :groupId
           and not exists (select 1 from requested where requested.value = member.value)
           and not exists (select 1 from requested where requested.person_id = member.person_id)
         returning person_id "personId"`,
        { values, organizationId, groupId },
      );
      return changeOf(rows);
    },

    async removeAll(groupId: string): Promise<MemberChange> {
      const rows = await rowsOf(
        handle,
        CHANGED,
        'delete from directory_group_members where group_id = :groupId returning person_id "personId"',
        { groupId },
      );
      return changeOf(rows);
    },

    /** Removes a person from all groups and increases the groups' versions. */
    async removePerson(personId: string): Promise<void> {
      await run(
        handle,
        `with gone as (delete from directory_group_members where person_id = :personId returning group_id),
           smaller as (select group_id, count(*)::integer as n from gone group by group_id)
         update directory_groups
         set version = version + 1, updated_at = clock_timestamp(), members = members - smaller.n
         from smaller where id = smaller.group_id`,
        { personId },
      );
    },
  };
}

function changeOf(rows: readonly RowOf<typeof CHANGED>[]): MemberChange {
  const personIds = rows.map(({ personId }) => personId).filter((id) => id !== null);
  return { count: rows.length, personIds };
}
