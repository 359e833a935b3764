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

/** Conditions on a row `d`: to let it go takes something from somebody. */
const IS_MEMBER = {
  people: `exists (select from organization_members o
    where o.organization_id = d.organization_id and o.user_id = d.user_id)`,
  groups: 'true',
} as const;

interface MissingPage {
  afterId: string | undefined;
  limit: number;
  onlyMembers: boolean;
  /** Stored ids of the source are those of another server. */
  ignoresIds: boolean;
}

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

    /** Counts the missing, and those among them of whom something hangs: people who are members, and all groups. */
    async count(
      jobId: string,
      organizationId: string,
      kind: StagedKind,
    ): Promise<{ missing: number; members: number }> {
      const [row] = await rowsOf<{ missing: number; members: number }>(
        handle,
        `select count(*)::integer missing, count(*) filter (where ${IS_MEMBER[kind]})::integer members
         from directory_${kind} d
         where d.organization_id = :organizationId and d.deleted_at is null and ${isNotStaged(kind)}`,
        { jobId, organizationId },
      );
      return row!;
    },

    /** Returns the next ones after `afterId`, in the order of their ids; people only as far as they are members where asked so. */
    async page(
      jobId: string,
      organizationId: string,
      kind: StagedKind,
      { afterId = FIRST_ID, limit, onlyMembers, ignoresIds }: MissingPage,
    ): Promise<Missing[]> {
      return rowsOf<Missing>(
        handle,
        `select d.id, case when not :ignoresIds then d.source_id end "sourceId", d.${COLUMNS[kind].name} "name" from directory_${kind} d
         where d.organization_id = :organizationId and d.deleted_at is null and d.id > :afterId
           and ${isNotStaged(kind)} ${onlyMembers ? `and ${IS_MEMBER[kind]}` : ''}
         order by d.id limit :limit`,
        { jobId, organizationId, limit, afterId, ignoresIds },
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
