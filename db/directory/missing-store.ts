/** Finds the people and groups that a directory no longer contains, for removal. */
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
import type { StagedKind } from './stage-store.ts';

/** A stored person or group that the source's lists do not contain. */
export interface MissingRow {
  id: string;
  /** The id at the source; null if the row was stored before this source was read. */
  sourceId: string | null;
  /** The user name, or the group's name. */
  name: string;
}

const COLUMNS = {
  people: { id: 'person_id', name: 'user_name' },
  groups: { id: 'group_id', name: 'display_name' },
} as const;

/** SQL conditions on a row `d`: its removal has consequences. */
const IS_MEMBER = {
  people: `exists (select from organization_members o
    where o.organization_id = d.organization_id and o.user_id = d.user_id)`,
  groups: 'true',
} as const;

interface MissingPage {
  afterId: string | undefined;
  limit: number;
  onlyMembers: boolean;
  /** True: stored source ids belong to another server. */
  ignoresIds: boolean;
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Finds stored rows that the source's lists do not contain. Call it after staged rows were matched with stored ones.
 */
export function createMissingStore(handle: Handle) {
  return {
    /** Deletes the ids of the previous source, which have no meaning at another server. */
    async forgetSourceIds(organizationId: string): Promise<void> {
      for (const table of ['directory_people', 'directory_groups'])
        await handle(table)
          .where({ organization_id: organizationId })
          .whereNotNull('source_id')
          .update({ source_id: null });
    },

    /** Returns the number of missing rows, and of those with consequences: people who are members, and all groups. */
    async count(
      jobId: string,
      organizationId: string,
      kind: StagedKind,
    ): Promise<{ missing: number; members: number }> {
      const [row] = await uncheckedRowsOf<{ missing: number; members: number }>(
        handle,
        `select count(*)::integer missing, count(*) filter (where ${IS_MEMBER[kind]})::integer members
         from directory_${kind} d
         where d.organization_id = :organizationId and d.deleted_at is null and ${isNotStaged(kind)}`,
        { jobId, organizationId },
      );
      return row!;
    },

    /** Returns the next rows after `afterId`, in the order of their ids; only members if requested. */
    async page(
      jobId: string,
      organizationId: string,
      kind: StagedKind,
      { afterId = FIRST_ID, limit, onlyMembers, ignoresIds }: MissingPage,
    ): Promise<MissingRow[]> {
      return uncheckedRowsOf<MissingRow>(
        handle,
        `select d.id, case when not :ignoresIds then d.source_id end "sourceId", d.${COLUMNS[kind].name} "name" from directory_${kind} d
         where d.organization_id = :organizationId and d.deleted_at is null and d.id > :afterId
           and ${isNotStaged(kind)} ${onlyMembers ? `and ${IS_MEMBER[kind]}` : ''}
         order by d.id limit :limit`,
        { jobId, organizationId, limit, afterId, ignoresIds },
      );
    },

    /** Records that the staged row with this source id is the stored one. */
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
