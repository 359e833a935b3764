/** States as SQL how people of a directory become members of the organization and of its workspaces. */
import type { PeopleSql } from './membership-people.ts';

/**
 * The expressions in this file state the rules of membership as common table expressions; each needs the ones before
 * it. All take `:organizationId`. They lock no rows and change none.
 */

/** Returns SQL for the role of an organization's member in its default workspace. */
const implicitRole = (role: string): string => `case ${role} when 'org:admin' then 'admin' else 'member' end`;

/**
 * Returns SQL for `claims (key, user_id)`: members without a living person, assigned to people with their address. A
 * member linked to a hidden person is assigned to active people only; otherwise that membership ends. Needs `people`
 * and `rivals`.
 */
export function claims({ isFree, isOwned }: Pick<PeopleSql, 'isFree' | 'isOwned'>): string {
  return `
  free_members as materialized (
    select user_id, address, is_owned,
      row_number() over (partition by address order by is_owned, created_at, user_id) n
    from (select m.user_id, r.address, m.created_at, ${isOwned} is_owned
    from (select distinct address from rivals) r,
    lateral (select id, email from users where lower(email) = r.address offset 0) u
    join organization_members m on m.organization_id = cast(:organizationId as uuid) and m.user_id = u.id
    where ${isFree}) m
  ),
  claims as materialized (
    select r.key, f.user_id from rivals r join free_members f on f.address = r.address and f.n = r.n
    where r.active or not f.is_owned
  )`;
}

/** SQL: `linked`, which is `people` with the users they will have; null for people who need a new user. */
export const LINKED_BY_CLAIMS = `
  linked as (
    select p.key, p.person_id, p.user_name, p.external_id, p.active, p.held,
      case when p.living then coalesce(p.user_id, c.user_id)
        when not exists (select from claims g where g.user_id = p.user_id) then p.user_id end user_id
    from people p left join claims c on c.key = p.key
  )`;

/** SQL: `linked`, which is `people` with their stored users. */
export const LINKED = `
  linked as (select key, person_id, user_name, external_id, active, held, user_id from people)`;

/**
 * SQL: `moves`, which is `linked` with the columns `old_role` and `new_role` in the organization; null outside of it.
 * `kept`: if all administrators would leave, in this chunk or another, the one who has been a member longest stays.
 * `spared`: the person loses nothing.
 */
export const MOVES = `
  judged as (
    select p.*, m.role old_role, m.created_at member_since
    from linked p left join lateral (
      select role, created_at from organization_members
      where organization_id = cast(:organizationId as uuid) and user_id = p.user_id offset 0
    ) m on true
  ),
  leaving_admins as (
    select key, user_id, user_name, member_since from judged
    where old_role = 'org:admin' and not active and not held
    union all
    select null, p.user_id, p.user_name, m.created_at
    from organization_members m join directory_people p on p.user_id = m.user_id
    where m.organization_id = cast(:organizationId as uuid) and m.role = 'org:admin'
      and not (p.active and p.deleted_at is null)
      and not (p.removal_held_at is not null and cast(:sparesHeld as boolean))
      and not exists (select from judged j where j.user_id = m.user_id)
  ),
  kept as (
    select key, user_id, user_name from leaving_admins
    where (select count(*) from leaving_admins) =
      (select count(*) from organization_members where organization_id = cast(:organizationId as uuid) and role = 'org:admin')
    order by member_since, user_id limit 1
  ),
  moves as materialized (
    select j.key, j.person_id, j.user_id, j.user_name, j.external_id, j.active, j.old_role,
      j.held or k.key is not null spared,
      case when j.active then coalesce(j.old_role, 'org:member')
        when j.held or k.key is not null then j.old_role end new_role
    from judged j left join kept k on k.key = j.key
  )`;

/**
 * SQL: `outcome` has a row for each person of `moves` and each workspace that the person has before or after. It has
 * the manual and directory parts of the membership, before and after, and the role that results from both. Needs
 * `wanted`.
 */
export const OUTCOME = `
  parts as (
    select m.key, h.workspace_id, 'hand' kind, h.role, h.id
    from moves m, lateral (select * from workspace_members where user_id = m.user_id offset 0) h
    union all
    select m.key, l.workspace_id, 'back', 'member', null
    from moves m, lateral (select * from directory_left_memberships where user_id = m.user_id offset 0) l
    where m.old_role is null and m.new_role is not null
    union all
    select m.key, d.workspace_id, 'directory', d.role, d.id
    from moves m, lateral (select * from directory_memberships where user_id = m.user_id offset 0) d
    union all
    select key, workspace_id, 'wanted', role, null from wanted
  ),
  places as materialized (
    select key, workspace_id, gen_random_uuid() fresh_id,
      min(role) filter (where kind = 'hand') hand,
      (array_agg(id) filter (where kind = 'hand'))[1] hand_id,
      min(role) filter (where kind = 'back') back,
      min(role) filter (where kind = 'directory') directory,
      (array_agg(id) filter (where kind = 'directory'))[1] directory_id,
      min(role) filter (where kind = 'wanted') wanted
    from parts group by key, workspace_id
  ),
  sides as (
    select m.key, m.person_id, m.user_id, m.user_name, m.external_id, m.old_role, m.new_role,
      p.workspace_id, w.is_default, p.fresh_id, p.hand, p.hand_id, p.directory, p.directory_id,
      m.new_role is null and m.old_role is not null leaves,
      p.back is not null returns,
      case when m.new_role is not null then least(p.hand, p.back) end hand_after,
      case when m.new_role is null then null when m.spared then least(p.directory, p.wanted) else p.wanted end
        directory_after
    from places p join moves m on m.key = p.key
    join workspaces w on w.id = p.workspace_id and w.organization_id = cast(:organizationId as uuid) and w.deleted_at is null
  ),
  outcome as materialized (
    select *,
      case when not is_default then least(hand, directory)
        when old_role is not null then least(${implicitRole('old_role')}, directory) end from_role,
      case when not is_default then least(hand_after, directory_after)
        when new_role is not null then least(${implicitRole('new_role')}, directory_after) end to_role
    from sides
  )`;

/**
 * SQL: `lines`, one row for each person and each changed membership. A change of the organization's membership includes
 * its default workspace, which then has no row.
 */
export const LINES = `
  lines as (
    select key, person_id, user_id, user_name as name, 'organization_member' kind, null::uuid workspace_id,
      old_role from_value, new_role to_value, new_role is null is_removal
    from moves where old_role is distinct from new_role
    union all
    select key, person_id, user_id, user_name, 'workspace_member', workspace_id, from_role, to_role, to_role is null
    from outcome
    where from_role is distinct from to_role and not (is_default and (old_role is null or new_role is null))
  )`;

/** SQL: `owners`, the people who lose the organization or a workspace. They may own keys there. */
export const OWNERS = `
  owners as (
    select person_id, user_id, external_id, user_name, null::uuid workspace_id
    from moves where old_role is not null and new_role is null
    union all
    select person_id, user_id, external_id, user_name, workspace_id
    from outcome where from_role is not null and to_role is null and new_role is not null
  )`;

const IS_KEY_OF_OWNER = `k.organization_id = cast(:organizationId as uuid) and k.deleted_at is null
        and not k.disabled and (o.workspace_id is null or k.workspace_id = o.workspace_id)`;

function keysNaming(subject: string): string {
  return `select * from api_keys where organization_id = cast(:organizationId as uuid)
        and identity_subject is not null and lower(identity_subject) = lower(${subject}) offset 0`;
}

/** SQL: the former names of an owner `o`. Before a staged person is applied, the stored row still has the old names. */
const FORMER_NAMES = `
        select name from directory_former_names where person_id = o.person_id
        union all
        select name from directory_people d, lateral (values
          (d.user_name, lower(d.user_name) <> lower(o.user_name)),
          (d.external_id, d.external_id is distinct from o.external_id)) stored (name, is_replaced)
        where d.id = o.person_id and is_replaced and name is not null`;

/**
 * Returns SQL for `owned_keys (hash, person_id, user_id, identified)`: enabled keys that an owner created, or whose
 * `identity_subject` names an owner. `identified`: the subject names the owner. Former names count, since a provider
 * may rename a person who leaves, unless they name another person now.
 */
export function keysOfOwners({ namesNobodyElse }: Pick<PeopleSql, 'namesNobodyElse'>): string {
  return `
  owned_keys as materialized (
    select distinct on (hash) hash, person_id, user_id, identified from (
      select k.hash, o.person_id, o.user_id, false identified
      from owners o, lateral (select * from api_keys where creator_user_id = o.user_id offset 0) k
      where ${IS_KEY_OF_OWNER}
      union all
      select k.hash, o.person_id, o.user_id, true
      from owners o, lateral (${keysNaming('o.user_name')}) k
      where ${IS_KEY_OF_OWNER}
      union all
      select k.hash, o.person_id, o.user_id, true
      from owners o, lateral (${keysNaming('o.external_id')}) k
      where k.identity_subject = o.external_id and ${IS_KEY_OF_OWNER}
      union all
      select k.hash, o.person_id, o.user_id, true
      from owners o, lateral (${FORMER_NAMES} offset 0) f, lateral (${keysNaming('f.name')}) k
      where ${IS_KEY_OF_OWNER} and ${namesNobodyElse}
    ) found order by hash, identified desc, user_id
  )`;
}
