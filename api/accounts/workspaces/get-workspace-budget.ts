/** Handles `GET /workspaces/{id}/budgets/{interval}`: returns the budget that a workspace has for an interval. */
import { operations } from '../../../contract/operations.ts';
import { presentWorkspaceBudget } from './present-workspace-budget.ts';
import { defineRoute } from '../../http/route.ts';

export const getWorkspaceBudget = defineRoute(
  operations.getWorkspaceBudget,
  async ({ principal, params: { id, interval } }, { services }) => {
    const { budget, includeByok } = await services.workspaceBudgets.get(
      principal.organizationId,
      id,
      interval,
    );
    return {
      status: 200,
      body: { data: presentWorkspaceBudget(budget), include_byok_in_budgets: includeByok },
    };
  },
);
