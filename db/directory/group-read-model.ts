/** Lists directory groups for the administrators of an organization. */
import type { DirectoryGroup } from '../../domain/directory/group.ts';
import type { Handle } from '../postgres/connection.ts';

/** A group in lists for administrators. */
export type ListedGroup = Omit<DirectoryGroup, 'sourceId' | 'resource' | 'version'>;

interface GroupRow {
  id: string;
  organization_id: string;
  external_id: string | null;
  display_name: string;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = ['id', 'organization_id', 'external_id', 'display_name', 'created_at', 'updated_at'] as const;

/** Reads groups for administrators, without deleted ones. An organization sees only its own. */
export function createGroupReadModel(handle: Handle) {
  const living = (organizationId: string) =>
    handle<GroupRow>('directory_groups').where({ organization_id: organizationId }).whereNull('deleted_at');
  return {
    /** Lists groups, the oldest first. */
    async list(
      organizationId: string,
      { limit, offset }: { limit: number; offset: number },
    ): Promise<{ groups: ListedGroup[]; totalCount: number }> {
      const rows = await living(organizationId)
        .select(...COLUMNS)
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit)
        .offset(offset);
      const count = await living(organizationId).count<{ n: string }>({ n: '*' }).first();
      return { groups: rows.map(toGroup), totalCount: Number(count?.n ?? 0) };
    },

    async exists(organizationId: string, id: string): Promise<boolean> {
      return (await living(organizationId).where({ id }).first('id')) !== undefined;
    },
  };
}

function toGroup(row: GroupRow): ListedGroup {
  return {
    id: row.id,
    organizationId: row.organization_id,
    externalId: row.external_id,
    displayName: row.display_name,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
