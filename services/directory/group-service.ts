import type { Handle } from '../../db/connection.ts';
import { createGroupReadModel, type ListedGroup } from '../../db/directory/group-read-model.ts';
import type { Page } from '../accounts/workspaces/workspace-service.ts';

/** The groups of the directory of an organization, as its administrators see them. */
export function createGroupService({ knex }: { knex: Handle }) {
  const groups = createGroupReadModel(knex);
  return {
    /** Lists groups, the oldest first, without the deleted ones. */
    list: (organizationId: string, page: Page): Promise<{ groups: ListedGroup[]; totalCount: number }> =>
      groups.list(organizationId, page),
  };
}
