/** Adds, changes and removes memberships until they match the directory. */
import { ORGANIZATION_ROLES } from '../../domain/accounts/organization.ts';
import type { Handle } from '../postgres/connection.ts';
import { bool, jsonb, oneOf, type RowOf, text, uuid, uuids } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';
import { COUNT_LINES, HAS_ROOM, LINE_COUNTS, type LineCounts } from './membership-lines.ts';
import { storedPeople } from './membership-people.ts';
import { LINES, LINKED, MOVES, OUTCOME, OWNERS } from './membership-rules.ts';

const MOVE = {
  personId: uuid,
  /** Null for a pending person who is and was no member. */
  userId: text.orNull,
  userName: text,
  externalId: text.orNull,
  active: bool,
  oldRole: oneOf(ORGANIZATION_ROLES).orNull,
  newRole: oneOf(ORGANIZATION_ROLES).orNull,
  /** True: the person loses nothing, because the removal is held or the person is the last administrator. */
  spared: bool,
  isLastAdmin: bool,
  isChanged: bool,
  /** The workspaces with changes, without the default one. */
  workspaceIds: uuids,
};
/** A person with changed memberships, name or address, or the last administrator, who stays. */
export type Move = RowOf<typeof MOVE>;

/** A person who lost a workspace, or the organization if `workspaceId` is null. */
export interface KeyOwner {
  personId: string;
  userId: string;
  externalId: string | null;
  userName: string;
  workspaceId: string | null;
}

/** The facts that are recorded with a change. */
export interface ChangeNote {
  jobId: string | null;
  /** True: removals count for the guard of pushes. */
  countsRemovals: boolean;
}

const MOVE_COLUMNS = `"personId" uuid, "userId" text, "userName" text, "externalId" text, active boolean,
  "oldRole" text, "newRole" text, spared boolean`;

const GIVEN = `
  given as materialized (select * from jsonb_to_recordset(cast(:moves as jsonb)) t (${MOVE_COLUMNS})),
  people as (select "personId"::text as key, "personId" person_id, active from given),
  moves as (
    select "personId"::text as key, "personId" person_id, "userId" user_id, "userName" user_name,
      "externalId" external_id, active, "oldRole" old_role, "newRole" new_role, spared
    from given
  )`;

/** Applies the rules of membership to stored people. The caller holds the directory's lock. */
export function createMembershipStore(handle: Handle, organizationId: string) {
  return {
    ...memberParts(handle, organizationId),

    ...membershipPlans(handle, organizationId),

    /**
     * Deletes the memberships. It waits for transactions that lock one of them, such as a request that creates a key.
     */
    async removeMembers(userIds: readonly string[]): Promise<void> {
      const values = { organizationId, userIds };
      const rows = 'organization_members where organization_id = :organizationId and user_id = any(:userIds)';
      await run(handle, `select from ${rows} order by user_id for update`, values);
      await run(handle, `delete from ${rows}`, values);
    },

    /**
     * Adds joiners to the organization, copies names and addresses from people to their users, and clears `pending`.
     */
    async settlePeople(moves: readonly Move[]): Promise<void> {
      await run(
        handle,
        `with ${GIVEN},
         joined as (
           insert into organization_members (organization_id, user_id, role, created_at)
           select cast(:organizationId as uuid), user_id, new_role, clock_timestamp()
           from moves where old_role is null and new_role is not null order by user_id
           on conflict do nothing
         ),
         settled as (
           update directory_people p set pending = null
           from moves m where p.id = m.person_id and p.pending is not null
         )
         update users u set email = p.email, first_name = p.given_name, last_name = p.family_name
         from moves m join directory_people p on p.id = m.person_id and p.deleted_at is null
         where u.id = m.user_id and (u.email, u.first_name, u.last_name)
           is distinct from (p.email, p.given_name, p.family_name)`,
        { organizationId, moves: JSON.stringify(moves) },
      );
    },
  };
}

/** Builds the method that changes the members of workspaces. */
function memberParts(handle: Handle, organizationId: string) {
  return {
    /** Changes the members of workspaces and records all changes. Call it after `removeMembers`. */
    async moveParts(
      moves: readonly Move[],
      { jobId, countsRemovals }: ChangeNote,
    ): Promise<{ counts: LineCounts; owners: KeyOwner[] }> {
      const { wanted } = storedPeople({});
      const [row] = await rowsOf(
        handle,
        { ...LINE_COUNTS, owners: jsonb<KeyOwner[]>() },
        `with ${GIVEN}, ${wanted}, ${OUTCOME}, ${LINES}, ${OWNERS}, ${PART_CHANGES},
         written as (
           insert into directory_changes
             (organization_id, job_id, kind, user_id, person_id, workspace_id, name, from_value, to_value, is_removal)
           select cast(:organizationId as uuid), cast(:jobId as uuid), kind, user_id, person_id, workspace_id, name,
             from_value, to_value, is_removal and cast(:countsRemovals as boolean)
           from (select *, row_number() over (partition by to_value is null) place from lines) numbered
           where ${HAS_ROOM} order by is_removal desc
         )
         select ${COUNT_LINES}, (select coalesce(jsonb_agg(jsonb_build_object('personId', person_id, 'userId', user_id,
           'externalId', external_id, 'userName', user_name, 'workspaceId', workspace_id)), '[]') from owners) owners
         from lines`,
        { organizationId, moves: JSON.stringify(moves), jobId, countsRemovals },
      );
      const { owners, ...counts } = row!;
      return { counts, owners };
    },
  };
}

/** Builds the methods that plan changes of memberships and lock their workspaces. */
function membershipPlans(handle: Handle, organizationId: string) {
  return {
    /** Returns the people with changed memberships, names or addresses, and the last administrator, who stays. */
    async plan(personIds: readonly string[]): Promise<Move[]> {
      const { people, wanted } = storedPeople({ personIds });
      return rowsOf(
        handle,
        MOVE,
        `with ${people}, ${LINKED}, ${MOVES}, ${wanted}, ${OUTCOME},
         touched as (
           select key, coalesce(array_agg(workspace_id) filter (where not is_default), '{}') workspace_ids
           from outcome
           where directory is distinct from directory_after or (leaves and hand is not null) or returns
           group by key
         ),
         planned as (
           select m.*, k.key is not null is_last_admin, coalesce(t.workspace_ids, '{}') workspace_ids,
             m.old_role is distinct from m.new_role or t.key is not null or p.pending is not null
               or (p.deleted_at is null and (u.email, u.first_name, u.last_name)
                 is distinct from (p.email, p.given_name, p.family_name)) is_changed
           from moves m
           cross join lateral (select * from directory_people where id = m.person_id offset 0) p
           left join lateral (select * from users where id = m.user_id offset 0) u on true
           left join kept k on k.key = m.key left join touched t on t.key = m.key
           where m.user_id is not null or p.pending is not null
         )
         select person_id "personId", user_id "userId", user_name "userName", external_id "externalId", active,
           old_role "oldRole", new_role "newRole", spared, is_last_admin "isLastAdmin", is_changed "isChanged",
           workspace_ids "workspaceIds"
         from planned where is_changed or is_last_admin`,
        { organizationId, personIds, sparesHeld: true },
      );
    },

    /** Locks the workspaces by id, the order in which every transaction locks workspaces. */
    async lockWorkspaces(ids: readonly string[]): Promise<void> {
      await run(handle, 'select from workspaces where id = any(:ids::uuid[]) order by id for no key update', {
        ids,
      });
    },
  };
}

/**
 * SQL that changes the directory part and the manual part of memberships. A new part takes over the id of the other
 * part, so a membership keeps its id.
 */
const PART_CHANGES = `
  removed_parts as (
    delete from directory_memberships d using outcome o
    where d.workspace_id = o.workspace_id and d.user_id = o.user_id
      and o.directory is not null and o.directory_after is null
  ),
  changed_parts as (
    insert into directory_memberships (workspace_id, user_id, id, role, created_at)
    select workspace_id, user_id, coalesce(directory_id, hand_id, fresh_id), directory_after, clock_timestamp()
    from outcome where directory_after is not null and directory_after is distinct from directory
    on conflict (workspace_id, user_id) do update set role = excluded.role
  ),
  left_hands as (
    delete from workspace_members h using outcome o
    where o.leaves and o.hand is not null and h.workspace_id = o.workspace_id and h.user_id = o.user_id
  ),
  remembered as (
    insert into directory_left_memberships (user_id, workspace_id)
    select user_id, workspace_id from outcome where leaves and hand is not null and not is_default
    on conflict do nothing
  ),
  taken_back as (
    delete from directory_left_memberships l using moves m
    where l.user_id = m.user_id and m.old_role is null and m.new_role is not null
  ),
  restored as (
    insert into workspace_members (id, workspace_id, user_id, role, created_at)
    select coalesce(directory_id, fresh_id), workspace_id, user_id, 'member', clock_timestamp()
    from outcome where returns and hand is null and not is_default
    on conflict do nothing
  )`;
