/** Finds the people and groups that a directory no longer contains, for removal. */
import type { Handle } from '../postgres/connection.ts';
import { oneRow } from '../postgres/results.ts';
import { int4, type RowOf, text, uuid } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';
import type { StagedKind } from './stage-store.ts';

const MISSING_ROW = {
  id: uuid,
  /** The id at the source; null if the row was stored before this source was read. */
  sourceId: text.orNull,
  /** The user name, or the group's name. */
  name: text,
};
/** A stored person or group that the source's lists do not contain. */
export type MissingRow = RowOf<typeof MISSING_ROW>;

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
        await run(
          handle,
          `update ${table} set source_id = null
           where organization_id = :organizationId and source_id is not null`,
          { organizationId },
        );
    },

    /** Returns the number of missing rows, and of those with consequences: people who are members, and all groups. */
    count: (
      jobId: string,
      organizationId: string,
      kind: StagedKind,
    ): Promise<{ missing: number; members: number }> =>
      oneRow(
        handle,
        { missing: int4, members: int4 },
        `select count(*)::integer missing, count(*) filter (where ${IS_MEMBER[kind]})::integer members
         from directory_${kind} d
         where d.organization_id = :organizationId and d.deleted_at is null and ${isNotStaged(kind)}`,
        { jobId, organizationId },
      ),

    /** Returns the next rows after `afterId`, in the order of their ids; only members if requested. */
    page: (
      jobId: string,
      organizationId: string,
      kind: StagedKind,
      { afterId = FIRST_ID, limit, onlyMembers, ignoresIds }: MissingPage,
    ): Promise<MissingRow[]> =>
      rowsOf(
        handle,
        MISSING_ROW,
        `select d.id, case when not :ignoresIds then d.source_id end "sourceId", d.${COLUMNS[kind].name} "name" from directory_${kind} d
         where d.organization_id = :organizationId and d.deleted_at is null and d.id > :afterId
           and ${isNotStaged(kind)} ${onlyMembers ? `and ${IS_MEMBER[kind]}` : ''}
         order by d.id limit :limit`,
        { jobId, organizationId, limit, afterId, ignoresIds },
      ),

    /** Records that the staged row with this source id is the stored one. */
    async match(
      jobId: string,
      kind: StagedKind,
      { id, sourceId }: { id: string; sourceId: string },
    ): Promise<void> {
      await run(
        handle,
        `update directory_stage_${kind} set ${COLUMNS[kind].id} = :id
         where job_id = :jobId and source_id = :sourceId`,
        { jobId, id, sourceId },
      );
    },
  };
}

function isNotStaged(kind: StagedKind): string {
  return `not exists (select from directory_stage_${kind} t
    where t.job_id = :jobId and t.${COLUMNS[kind].id} = d.id)`;
}
