/** Stages the people and groups that a directory sync reads, before they are compared with the stored ones. */
import type { SyncJob } from '../../domain/directory/job.ts';
import type { StagedGroup, StagedPerson } from '../../domain/directory/staged.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

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
    async keepPerson(jobId: string, organizationId: string, sourceId: string): Promise<boolean> {
      const rows = await uncheckedRowsOf<{ source_id: string }>(
        handle,
        `insert into directory_stage_people (job_id, source_id, external_id, user_name, email, given_name,
           family_name, active, resource)
         select ?, source_id, external_id, user_name, email, given_name, family_name, active, resource
         from directory_people where organization_id = ? and source_id = ? and deleted_at is null
         on conflict (job_id, source_id) do update set source_id = excluded.source_id
         returning source_id`,
        [jobId, organizationId, sourceId],
      );
      return rows.length > 0;
    },

    async has(jobId: string, kind: StagedKind, sourceId: string): Promise<boolean> {
      const row = await handle(`directory_stage_${kind}`)
        .where({ job_id: jobId, source_id: sourceId })
        .first();
      return row !== undefined;
    },

    async count(jobId: string, kind: StagedKind): Promise<number> {
      const [row] = await uncheckedRowsOf<{ staged: number }>(
        handle,
        `select count(*)::integer staged from directory_stage_${kind} where job_id = ?`,
        [jobId],
      );
      return row?.staged ?? 0;
    },

    /** Deletes the staged rows of one kind, before the job reads the source again. */
    async clear(jobId: string, kind: StagedKind): Promise<void> {
      if (kind === 'groups') await handle('directory_stage_members').where({ job_id: jobId }).delete();
      await handle(`directory_stage_${kind}`).where({ job_id: jobId }).delete();
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
      const [row] = await uncheckedRowsOf<{ added: number }>(
        handle,
        `with added as (
           insert into directory_stage_people as s (job_id, source_id, person_id, external_id, user_name, email,
             given_name, family_name, active, resource)
           select distinct on ("sourceId") ?::uuid, "sourceId", d.id, "externalId", "userName", p.email, "givenName",
             "familyName", p.active, p.resource
           from jsonb_to_recordset(?::jsonb) as p("sourceId" text, "externalId" text, "userName" text, email text,
             "givenName" text, "familyName" text, active boolean, resource jsonb)
           left join lateral (
             select id from directory_people where organization_id = ? and source_id = "sourceId" and not ? offset 0) d on true
           order by "sourceId"
           on conflict (job_id, source_id) do update set external_id = excluded.external_id,
             user_name = excluded.user_name, email = excluded.email, given_name = excluded.given_name,
             family_name = excluded.family_name, active = excluded.active, resource = excluded.resource
           returning xmax = 0 is_new)
         select count(*) filter (where is_new)::integer added from added`,
        [jobId, JSON.stringify(people), organizationId, ignoresIds],
      );
      return row?.added ?? 0;
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
      const [row] = await uncheckedRowsOf<{ added: number }>(
        handle,
        `with added as (
           insert into directory_stage_groups as s (job_id, source_id, external_id, display_name, resource)
           select distinct on ("sourceId") ?::uuid, "sourceId", "externalId", "displayName", resource
           from jsonb_to_recordset(?::jsonb) as g("sourceId" text, "externalId" text, "displayName" text,
             resource jsonb)
           order by "sourceId"
           on conflict (job_id, source_id) do update set external_id = excluded.external_id,
             display_name = excluded.display_name, resource = excluded.resource
           returning xmax = 0 is_new)
         select count(*) filter (where is_new)::integer added from added`,
        [jobId, JSON.stringify(groups.map((group) => ({ ...group, members: undefined })))],
      );
      const added = row?.added ?? 0;
      if (added < groups.length) {
        const ids = groups.map(({ sourceId }) => sourceId);
        await handle('directory_stage_members')
          .where({ job_id: jobId })
          .whereIn('group_source_id', ids)
          .delete();
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
    await handle.raw(
      `insert into directory_stage_members (job_id, group_source_id, value)
       select ?, g, v from unnest(?::text[], ?::text[]) m (g, v) on conflict do nothing`,
      [jobId, some.map(([sourceId]) => sourceId), some.map(([, value]) => value)],
    );
  }
}
