/** Handles `DELETE /workspaces/{id}/budgets/{interval}`: deletes the budget that a workspace has for an interval. */
import { operations } from '../../../contract/operations.ts';
import { actorOf } from '../../../domain/principal.ts';
import { defineRoute } from '../../http/route.ts';

export const deleteWorkspaceBudget = defineRoute(
  operations.deleteWorkspaceBudget,
  async ({ principal, client, params: { id, interval } }, { services }) => {
    await services.workspaceBudgets.remove(actorOf(principal, client), id, interval);
    return { status: 200, body: { deleted: true } };
  },
);
