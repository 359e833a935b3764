/** Turns a budget of a workspace into the record that responses show, in US dollars. */
import type { WorkspaceBudgetRecord } from '../../../contract/accounts/workspace-budgets.ts';
import type { WorkspaceBudget } from '../../../db/accounts/workspace-budget-store.ts';
import { nanosToUsd } from '../../../domain/money.ts';

export function presentWorkspaceBudget(budget: WorkspaceBudget): WorkspaceBudgetRecord {
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
