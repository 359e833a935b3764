import type { Handle } from '../../db/postgres/connection.ts';
import { createGroupReadModel, type ListedGroup } from '../../db/directory/group-read-model.ts';
import type { Page } from '../accounts/workspaces/workspace-service.ts';

/** Shows the groups of an organization's directory to its administrators. */
export function createGroupService({ knex }: { knex: Handle }) {
  const groups = createGroupReadModel(knex);
  return {
    /** Lists groups, the oldest first, without the deleted ones. */
    list: (organizationId: string, page: Page): Promise<{ groups: ListedGroup[]; totalCount: number }> =>
      groups.list(organizationId, page),
  };
}

export type GroupService = ReturnType<typeof createGroupService>;
