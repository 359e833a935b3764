/** The bindings of these expressions, which compare what a run has staged with what is stored. */
export interface StagedScope {
  jobId: string;
  organizationId: string;
  /** All was read: whoever is not staged is gone. */
  isFull: boolean;
}

/** A condition on a living person `d`: the source does not have this person any more. */
export const IS_GONE_PERSON = `(:isFull and not exists (
  select from directory_stage_people t where t.job_id = :jobId and t.person_id = d.id))`;

/** A condition on a living group `d`: the source does not have this group any more. */
export const IS_GONE_GROUP = `(:isFull and not exists (
  select from directory_stage_groups t where t.job_id = :jobId and t.group_id = d.id))`;

const FACTS = [
  'source_id',
  'external_id',
  'user_name',
  'email',
  'given_name',
  'family_name',
  'active',
  'resource',
];

/** Returns a condition on a staged person under this alias and a stored one `d`: they differ. */
export function differs(staged: string): string {
  const factsOf = (alias: string): string => `(${FACTS.map((fact) => `${alias}.${fact}`).join(', ')})`;
  return `(d.deleted_at is not null or ${factsOf('d')} is distinct from ${factsOf(staged)})`;
}

/** Gives a group `d` its next version, because its members change. Whoever needs their number counts again. */
export const NEXT_VERSION = 'version = d.version + 1, updated_at = clock_timestamp(), member_count = null';

/** `known`: the people whom ids of the source name. */
const KNOWN = `
  known as materialized (
    select source_id, person_id from directory_stage_people where job_id = :jobId
    union all
    select d.source_id, d.id from directory_people d
    where not :isFull and d.organization_id = :organizationId and d.source_id is not null and d.deleted_at is null
      and not exists (select from directory_stage_people t where t.job_id = :jobId and t.source_id = d.source_id))`;

/** `scope`: the groups about which the run says something. */
const SCOPE = `
  scope as materialized (
    select group_id from directory_stage_groups where job_id = :jobId
    union all
    select d.id from directory_groups d
    where d.organization_id = :organizationId and d.deleted_at is null and ${IS_GONE_GROUP})`;

/**
 * Common table expressions: `wanted` has the known people who should be members of staged groups, `present` the people who are
 * members of the groups about which the run says something.
 */
export const KNOWN_MEMBERS = `${KNOWN},
  wanted as materialized (
    select g.group_id, k.person_id from directory_stage_members m
    join directory_stage_groups g on g.job_id = m.job_id and g.source_id = m.group_source_id
    join known k on k.source_id = m.value
    where m.job_id = :jobId),
  ${SCOPE},
  present as materialized (
    select m.group_id, m.person_id from directory_group_members m join scope using (group_id)
    where m.person_id is not null)`;

/**
 * Common table expressions: `unknown` has the members of staged groups whom nobody knows yet, `scope` the groups about which the
 * run says something.
 */
export const UNKNOWN_MEMBERS = `${KNOWN},
  unknown as materialized (
    select g.group_id, m.value from directory_stage_members m
    join directory_stage_groups g on g.job_id = m.job_id and g.source_id = m.group_source_id
    where m.job_id = :jobId and not exists (select from known k where k.source_id = m.value)),
  ${SCOPE}`;
