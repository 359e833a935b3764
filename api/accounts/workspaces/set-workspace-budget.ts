/**
 * Handles `PUT /workspaces/{id}/budgets/{interval}`: creates or changes the budget that a workspace has for an
 * interval.
 */
import { operations } from '../../../contract/operations.ts';
import { usdToNanos } from '../../../domain/money.ts';
import { actorOf } from '../../../domain/principal.ts';
import { presentWorkspaceBudget } from './present-workspace-budget.ts';
import { withoutUndefined } from '../../http/request/without-undefined.ts';
import { defineRoute } from '../../http/route.ts';

export const setWorkspaceBudget = defineRoute(
  operations.setWorkspaceBudget,
  async ({ principal, client, params: { id, interval }, body }, { services }) => {
    const change = {
      limitNanos: usdToNanos(body.limit_usd),
      ...withoutUndefined({ includeByok: body.include_byok_in_budgets }),
    };
    const actor = actorOf(principal, client);
    const { budget, includeByok } = await services.workspaceBudgets.set(actor, id, interval, change);
    return {
      status: 200,
      body: { data: presentWorkspaceBudget(budget), include_byok_in_budgets: includeByok },
    };
  },
);
