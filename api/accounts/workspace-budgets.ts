/** Answers the operations on the budgets of a workspace. */
import type {
  workspaceBudgetOperations,
  WorkspaceBudgetRecord,
} from '../../contract/accounts/workspace-budgets.ts';
import type { WorkspaceBudget } from '../../db/accounts/workspace-budget-store.ts';
import { nanosToUsd, usdToNanos } from '../../domain/money.ts';
import { actorOf } from '../../domain/principal.ts';
import type { BudgetService } from '../../services/accounts/workspaces/budget-service.ts';
import type { RoutesOf } from '../http/route.ts';

export const workspaceBudgetRoutes: RoutesOf<
  typeof workspaceBudgetOperations,
  { workspaceBudgets: BudgetService }
> = {
  /** Handles `GET /workspaces/{id}/budgets`: lists the budgets of a workspace. */
  listWorkspaceBudgets: async ({ principal, params }, { services }) => {
    const { budgets, includeByok } = await services.workspaceBudgets.list(
      principal.organizationId,
      params.id,
    );
    return {
      status: 200,
      body: { data: budgets.map(presentWorkspaceBudget), include_byok_in_budgets: includeByok },
    };
  },

  /** Handles `GET /workspaces/{id}/budgets/{interval}`: returns the budget that a workspace has for an interval. */
  getWorkspaceBudget: async ({ principal, params: { id, interval } }, { services }) => {
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

  /**
   * Handles `PUT /workspaces/{id}/budgets/{interval}`: creates or changes the budget that a workspace has for an
   * interval.
   */
  setWorkspaceBudget: async (call, { services }) => {
    const { id, interval } = call.params;
    const change = {
      limitNanos: usdToNanos(call.body.limit_usd),
      includeByok: call.body.include_byok_in_budgets,
    };
    const { budget, includeByok } = await services.workspaceBudgets.set(actorOf(call), id, interval, change);
    return {
      status: 200,
      body: { data: presentWorkspaceBudget(budget), include_byok_in_budgets: includeByok },
    };
  },

  /** Handles `DELETE /workspaces/{id}/budgets/{interval}`: deletes the budget that a workspace has for an interval. */
  deleteWorkspaceBudget: async (call, { services }) => {
    await services.workspaceBudgets.remove(actorOf(call), call.params.id, call.params.interval);
    return { status: 200, body: { deleted: true } };
  },
};

/** Turns a budget of a workspace into the record that responses show, in US dollars. */
function presentWorkspaceBudget(budget: WorkspaceBudget): WorkspaceBudgetRecord {
  return {
    id: budget.id,
    workspace_id: budget.workspaceId,
    limit_usd: nanosToUsd(budget.limitNanos),
    reset_interval: budget.interval === 'lifetime' ? null : budget.interval,
    created_at: budget.createdAt.toISOString(),
    // Clients of this API shape expect a time even before the first change.
    updated_at: (budget.updatedAt ?? budget.createdAt).toISOString(),
  };
}
