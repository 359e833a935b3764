/** The values of the expressions in this file, which compare staged with stored data. */
export interface StagedScope {
  jobId: string;
  organizationId: string;
  /** True: the reading was complete. Rows without a staged row are gone. */
  isFull: boolean;
}

/** A condition on a living person `d`: the source does not have the person. */
export const IS_GONE_PERSON = `(:isFull and not exists (
  select from directory_stage_people t where t.job_id = :jobId and t.person_id = d.id))`;

/** A condition on a living group `d`: the source does not have the group. */
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

/** Returns the condition that a staged person under this alias and a stored one `d` differ. */
export function differs(staged: string): string {
  const factsOf = (alias: string): string => `(${FACTS.map((fact) => `${alias}.${fact}`).join(', ')})`;
  return `(d.deleted_at is not null or ${factsOf('d')} is distinct from ${factsOf(staged)})`;
}

/** SQL: increases the version of a group `d` after a change of its members, and marks their number as unknown. */
export const NEXT_VERSION = 'version = d.version + 1, updated_at = clock_timestamp(), members = null';

/** SQL: `known`, the people with a source id, as they are after the staged data is applied. */
const KNOWN = `
  known as materialized (
    select source_id, person_id from directory_stage_people where job_id = :jobId
    union all
    select d.source_id, d.id from directory_people d
    where not :isFull and d.organization_id = :organizationId and d.source_id is not null and d.deleted_at is null
      and not exists (select from directory_stage_people t where t.job_id = :jobId and t.source_id = d.source_id))`;

/** SQL: `scope`, the groups that the run covers. */
const SCOPE = `
  scope as materialized (
    select group_id from directory_stage_groups where job_id = :jobId
    union all
    select d.id from directory_groups d
    where d.organization_id = :organizationId and d.deleted_at is null and ${IS_GONE_GROUP})`;

/**
 * Common table expressions. `wanted`: known people who should be members of staged groups. `present`: the current
 * members of the groups that the run covers.
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
 * Common table expressions. `unknown`: members of staged groups that are not known people. `scope`: the groups that the
 * run covers.
 */
export const UNKNOWN_MEMBERS = `${KNOWN},
  unknown as materialized (
    select g.group_id, m.value from directory_stage_members m
    join directory_stage_groups g on g.job_id = m.job_id and g.source_id = m.group_source_id
    where m.job_id = :jobId and not exists (select from known k where k.source_id = m.value)),
  ${SCOPE}`;
