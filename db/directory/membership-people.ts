/** Selects the people whose memberships are computed: stored people, or those that a job has staged. */
export type PeopleSource =
  | { kind: 'stored'; personIds?: readonly string[]; onlyFree?: boolean }
  | { kind: 'staged'; jobId: string };

/**
 * Common table expressions for the people of a directory and their mappings. Memberships are computed from these alone,
 * so a preview and the change itself follow the same rules.
 *
 * `offset 0` forces Postgres to join by index. When a directory grows faster than the statistics of its tables,
 * Postgres would otherwise read whole tables again for each person.
 */
export interface PeopleSql {
  /**
   * `people (key, person_id, source_id, user_id, user_name, external_id, email, active, living, held, created_at)`.
   * `active`: the person belongs to the organization. `living`: the row is not hidden. `held`: the person loses
   * nothing.
   */
  people: string;
  /** `rivals (key, address, active, n)`: living people without a user, numbered per address, active ones first. */
  rivals: string;
  /** A condition on a user's id `m.user_id`: no living person is linked to it. */
  isFree: string;
  /** A condition on a user's id `m.user_id`: a hidden person is, or was, linked to it. */
  isOwned: string;
  /** A condition on a key `k` and an owner `o`: the key's `identity_subject` names no other living person. */
  namesNobodyElse: string;
  /** `wanted (key, workspace_id, role)`: the highest role that mappings give to active people. */
  wanted: string;
}

const HELD = 'p.removal_held_at is not null and cast(:sparesHeld as boolean)';

/** SQL: the mappings of living groups to workspaces that are not deleted. */
const MAPPINGS = `from directory_mappings m
      join directory_groups d on d.id = m.group_id and d.deleted_at is null
      join workspaces w on w.id = m.workspace_id and w.deleted_at is null
      where m.organization_id = cast(:organizationId as uuid)`;

/** SQL: `mapped (group_id, workspace_id, role)`, the rows of `MAPPINGS`. */
const MAPPED = `mapped as materialized (select m.group_id, m.workspace_id, m.role ${MAPPINGS})`;

/** The condition `namesNobodyElse` for stored people. */
export const NAMES_NOBODY_ELSE_STORED = `not exists (
        select from directory_people p
        where p.organization_id = cast(:organizationId as uuid) and p.deleted_at is null and p.id <> o.person_id
          and (lower(p.user_name) = lower(k.identity_subject) or p.external_id = k.identity_subject) offset 0)`;

/**
 * SQL: excludes people of a large push, because the guard of a run checks them. Without `:sparesHeld` they are
 * included, since an administrator has released all removals.
 */
const IS_NOT_LEFT_TO_GUARD = `and (p.pending is distinct from 'guarded' or not cast(:sparesHeld as boolean))`;

/**
 * Returns SQL for stored people: those with `personIds`; with `onlyFree`, pending people that need no guard; otherwise
 * everyone except people left to the guard of a run.
 */
export function storedPeople({
  personIds,
  onlyFree = false,
}: Omit<PeopleSource & { kind: 'stored' }, 'kind'>): PeopleSql {
  const ofOrganization = 'p.organization_id = cast(:organizationId as uuid)';
  const source =
    personIds === undefined
      ? `directory_people p where ${ofOrganization} ${onlyFree ? `and p.pending = 'free'` : IS_NOT_LEFT_TO_GUARD}`
      : `unnest(cast(:personIds as uuid[])) named (id),
        lateral (select * from directory_people p where p.id = named.id and ${ofOrganization} offset 0) p`;
  return {
    people: `people as materialized (
      select p.id::text as key, p.id person_id, p.source_id, p.user_id, p.user_name, p.external_id, p.email,
        p.active and p.deleted_at is null active, p.deleted_at is null living, ${HELD} held, p.created_at
      from ${source}
    )`,
    rivals: `rivals as materialized (
      select r.id::text as key, a.address, r.active,
        row_number() over (partition by a.address order by r.active desc, r.created_at, r.id) n
      from (select distinct lower(email) address from people where living and user_id is null) a,
      lateral (
        select * from directory_people p where ${ofOrganization} and lower(p.email) = a.address offset 0
      ) r
      where r.deleted_at is null and r.user_id is null
    )`,
    isFree: `not exists (select from directory_people h where h.user_id = m.user_id and h.deleted_at is null)`,
    isOwned: `exists (select from directory_people h where h.user_id = m.user_id)`,
    namesNobodyElse: NAMES_NOBODY_ELSE_STORED,
    wanted: `wanted as materialized (
      select p.key, g.workspace_id, min(g.role) as role
      from people p,
      lateral (select gm.group_id from directory_group_members gm where gm.person_id = p.person_id offset 0) gm,
      lateral (select m.workspace_id, m.role ${MAPPINGS} and m.group_id = gm.group_id offset 0) g
      where p.active group by p.key, g.workspace_id
    )`,
  };
}

/**
 * Returns SQL for people as they will be after the job's staged data is applied. After a complete reading, people and
 * groups without a staged row are gone; after a partial one they stay.
 */
export function stagedPeople({ isFull }: { isFull: boolean }): PeopleSql {
  const stays = isFull ? 'false' : 'p.deleted_at is null';
  return {
    people: `people as materialized (
      select 's' || s.source_id as key, p.id person_id, s.source_id, p.user_id, s.user_name, s.external_id, s.email,
        s.active, true living, coalesce(${HELD}, false) held, p.created_at
      from directory_stage_people s left join directory_people p on p.id = s.person_id
      where s.job_id = cast(:jobId as uuid)
      union all
      select 'p' || p.id, p.id, p.source_id, p.user_id, p.user_name, p.external_id, p.email,
        ${stays} and p.active, ${stays}, ${HELD}, p.created_at
      from directory_people p where p.organization_id = cast(:organizationId as uuid) and not exists (
        select from directory_stage_people s where s.job_id = cast(:jobId as uuid) and s.person_id = p.id)
    )`,
    rivals: `rivals as materialized (
      select r.key, lower(r.email) address, r.active,
        row_number() over (partition by lower(r.email) order by r.active desc, r.created_at, r.key) n
      from people r where r.living and r.user_id is null
    )`,
    isFree: `not exists (select from people h where h.user_id = m.user_id and h.living)`,
    isOwned: `exists (select from people h where h.user_id = m.user_id)`,
    namesNobodyElse: `not exists (
        select from people p where p.living and p.person_id is distinct from o.person_id
          and lower(p.user_name) = lower(k.identity_subject))
      and not exists (
        select from people p where p.living and p.person_id is distinct from o.person_id
          and p.external_id = k.identity_subject)`,
    wanted: `${MAPPED},
    wanted as materialized (
      select key, workspace_id, min(role) as role from (
        select p.key, g.workspace_id, g.role
        from mapped g
        join directory_stage_groups sg on sg.job_id = cast(:jobId as uuid) and sg.group_id = g.group_id
        join directory_stage_members sm on sm.job_id = cast(:jobId as uuid) and sm.group_source_id = sg.source_id
        join people p on p.source_id = sm.value and p.active
        ${isFull ? '' : UNSTAGED_MEMBERS}
      ) given group by key, workspace_id
    )`,
  };
}

const UNSTAGED_MEMBERS = `
        union all
        select p.key, g.workspace_id, g.role
        from mapped g
        join directory_group_members gm on gm.group_id = g.group_id
        join people p on p.person_id = gm.person_id and p.active
        where not exists (
          select from directory_stage_groups sg where sg.job_id = cast(:jobId as uuid) and sg.group_id = g.group_id)`;
