/** Stages the people and groups that a directory sync reads, before they are compared with the stored ones. */
import type { SyncJob } from '../../domain/directory/job.ts';
import type { StagedGroup, StagedPerson } from '../../domain/directory/staged.ts';
import type { Handle } from '../postgres/connection.ts';
import { anyRows, countRows } from '../postgres/results.ts';
import { int4 } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';

/** The largest number of rows that one statement inserts. */
const MEMBERS_PER_STATEMENT = 10_000;

export type StagedKind = 'people' | 'groups';

/** Stores the data that a job read from its source, until the job ends. */
export function createStageStore(handle: Handle) {
  return {
    ...stageWrites(handle),

    /**
     * Stages a person with the stored data, because the source's data is invalid. Returns false if no such person is
     * stored.
     */
    keepPerson: (jobId: string, organizationId: string, sourceId: string): Promise<boolean> =>
      anyRows(
        handle,
        `insert into directory_stage_people (job_id, source_id, external_id, user_name, email, given_name,
           family_name, active, resource)
         select :jobId, source_id, external_id, user_name, email, given_name, family_name, active, resource
         from directory_people where organization_id = :organizationId and source_id = :sourceId and deleted_at is null
         on conflict (job_id, source_id) do update set source_id = excluded.source_id`,
        { jobId, organizationId, sourceId },
      ),

    has: (jobId: string, kind: StagedKind, sourceId: string): Promise<boolean> =>
      anyRows(handle, `select from directory_stage_${kind} where job_id = :jobId and source_id = :sourceId`, {
        jobId,
        sourceId,
      }),

    count: (jobId: string, kind: StagedKind): Promise<number> =>
      countRows(handle, `from directory_stage_${kind} where job_id = :jobId`, { jobId }),

    /** Deletes the staged rows of one kind, before the job reads the source again. */
    async clear(jobId: string, kind: StagedKind): Promise<void> {
      for (const table of kind === 'groups' ? ['members', 'groups'] : ['people'])
        await run(handle, `delete from directory_stage_${table} where job_id = :jobId`, { jobId });
    },
  };
}

/** Builds the methods that stage people and groups. */
function stageWrites(handle: Handle) {
  return {
    ...stagedGroups(handle),

    /**
     * Stages people, replacing staged rows of the same source id. A stored person with that source id is matched at
     * once, unless `ignoresIds` is set. Returns the number of people who were not staged before.
     */
    async addPeople(
      { id: jobId, organizationId }: Pick<SyncJob, 'id' | 'organizationId'>,
      people: readonly StagedPerson[],
      { ignoresIds = false }: { ignoresIds?: boolean | undefined } = {},
    ): Promise<number> {
      const [row] = await rowsOf(
        handle,
        { added: int4 },
        `with added as (
           insert into directory_stage_people as s (job_id, source_id, person_id, external_id, user_name, email,
             given_name, family_name, active, resource)
           select distinct on ("sourceId") :jobId::uuid, "sourceId", d.id, "externalId", "userName", p.email, "givenName",
             "familyName", p.active, p.resource
           from jsonb_to_recordset(:people::jsonb) as p("sourceId" text, "externalId" text, "userName" text, email text,
             "givenName" text, "familyName" text, active boolean, resource jsonb)
           left join lateral (
             select id from directory_people where organization_id = :organizationId and source_id = "sourceId" and not :ignoresIds offset 0) d on true
           order by "sourceId"
           on conflict (job_id, source_id) do update set external_id = excluded.external_id,
             user_name = excluded.user_name, email = excluded.email, given_name = excluded.given_name,
             family_name = excluded.family_name, active = excluded.active, resource = excluded.resource
           returning xmax = 0 is_new)
         select count(*) filter (where is_new)::integer added from added`,
        { jobId, organizationId, people: JSON.stringify(people), ignoresIds },
      );
      return row!.added;
    },
  };
}

/** Builds the method that stages groups. */
function stagedGroups(handle: Handle) {
  return {
    /**
     * Stages groups with their members, replacing staged groups of the same source id. Returns the number of groups
     * that were not staged before.
     */
    async addGroups(jobId: string, groups: readonly StagedGroup[]): Promise<number> {
      const [row] = await rowsOf(
        handle,
        { added: int4 },
        `with added as (
           insert into directory_stage_groups as s (job_id, source_id, external_id, display_name, resource)
           select distinct on ("sourceId") :jobId::uuid, "sourceId", "externalId", "displayName", resource
           from jsonb_to_recordset(:groups::jsonb) as g("sourceId" text, "externalId" text, "displayName" text,
             resource jsonb)
           order by "sourceId"
           on conflict (job_id, source_id) do update set external_id = excluded.external_id,
             display_name = excluded.display_name, resource = excluded.resource
           returning xmax = 0 is_new)
         select count(*) filter (where is_new)::integer added from added`,
        { jobId, groups: JSON.stringify(groups.map((group) => ({ ...group, members: undefined }))) },
      );
      const { added } = row!;
      if (added < groups.length) {
        const ids = groups.map(({ sourceId }) => sourceId);
        const members = 'directory_stage_members where job_id = :jobId and group_source_id = any(:ids)';
        await run(handle, `delete from ${members}`, { jobId, ids });
      }
      await addMembers(handle, jobId, groups);
      return added;
    },
  };
}

async function addMembers(handle: Handle, jobId: string, groups: readonly StagedGroup[]): Promise<void> {
  const rows = groups.flatMap(({ sourceId, members }) => members.map((value) => [sourceId, value] as const));
  for (let from = 0; from < rows.length; from += MEMBERS_PER_STATEMENT) {
    const some = rows.slice(from, from + MEMBERS_PER_STATEMENT);
    await run(
      handle,
      `insert into directory_stage_members (job_id, group_source_id, value)
       select :jobId, g, v from unnest(:ids::text[], :values::text[]) m (g, v) on conflict do nothing`,
      { jobId, ids: some.map(([sourceId]) => sourceId), values: some.map(([, value]) => value) },
    );
  }
}
