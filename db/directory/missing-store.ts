import { type Handle, rowsOf } from '../connection.ts';
import type { StagedKind } from './stage-store.ts';

/** Somebody, or a group, that is stored and that the lists of the source did not have. */
export interface Missing {
  id: string;
  /** Null: stored before this source was read. */
  sourceId: string | null;
  /** The user name, or the name of the group. */
  name: string;
}

const COLUMNS = {
  people: { id: 'person_id', name: 'user_name' },
  groups: { id: 'group_id', name: 'display_name' },
} as const;

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Finds what the lists of a source lack, once what is staged was matched with what is stored. */
export function createMissingStore(handle: Handle) {
  return {
    /** Forgets the ids of a source that was read before: they mean nothing at another server. */
    async forgetSourceIds(organizationId: string): Promise<void> {
      for (const table of ['directory_people', 'directory_groups'])
        await handle(table)
          .where({ organization_id: organizationId })
          .whereNotNull('source_id')
          .update({ source_id: null });
    },

    async count(jobId: string, organizationId: string, kind: StagedKind): Promise<number> {
      const [row] = await rowsOf<{ missing: number }>(
        handle,
        `select count(*)::integer missing from directory_${kind} d
         where d.organization_id = :organizationId and d.deleted_at is null and ${isNotStaged(kind)}`,
        { jobId, organizationId },
      );
      return row?.missing ?? 0;
    },

    /** Returns the next ones after `afterId`, in the order of their ids. */
    async page(
      jobId: string,
      organizationId: string,
      kind: StagedKind,
      { afterId = FIRST_ID, limit }: { afterId: string | undefined; limit: number },
    ): Promise<Missing[]> {
      return rowsOf<Missing>(
        handle,
        `select d.id, d.source_id "sourceId", d.${COLUMNS[kind].name} "name" from directory_${kind} d
         where d.organization_id = :organizationId and d.deleted_at is null and d.id > :afterId
           and ${isNotStaged(kind)}
         order by d.id limit :limit`,
        { jobId, organizationId, limit, afterId },
      );
    },

    /** Notes that the staged one with this id at the source is the stored one. */
    async match(
      jobId: string,
      kind: StagedKind,
      { id, sourceId }: { id: string; sourceId: string },
    ): Promise<void> {
      await handle(`directory_stage_${kind}`)
        .where({ job_id: jobId, source_id: sourceId })
        .update({ [COLUMNS[kind].id]: id });
    },
  };
}

function isNotStaged(kind: StagedKind): string {
  return `not exists (select from directory_stage_${kind} t
    where t.job_id = :jobId and t.${COLUMNS[kind].id} = d.id)`;
}
