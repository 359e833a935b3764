/** Handles `GET /workspaces/{id}/budgets`: lists the budgets of a workspace. */
import { operations } from '../../../contract/operations.ts';
import { presentWorkspaceBudget } from './present-workspace-budget.ts';
import { defineRoute } from '../../http/route.ts';

export const listWorkspaceBudgets = defineRoute(
  operations.listWorkspaceBudgets,
  async ({ principal, params }, { services }) => {
    const { budgets, includeByok } = await services.workspaceBudgets.list(
      principal.organizationId,
      params.id,
    );
    return {
      status: 200,
      body: { data: budgets.map(presentWorkspaceBudget), include_byok_in_budgets: includeByok },
    };
  },
);
