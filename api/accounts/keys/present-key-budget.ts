/** Presents the budgets of a key, and the budget that restricts the key most. */
import type { KeyBudgetRecord } from '../../../contract/accounts/key-budget.ts';
import { nanosToUsd } from '../../../domain/money.ts';
import type { KeyBudget } from '../../../services/accounts/identity/key-budgets.ts';

export function presentKeyBudgets(budgets: readonly KeyBudget[]): {
  budgets: KeyBudgetRecord[];
  effective_budget: KeyBudgetRecord | null;
} {
  const effective = blockingFirst(budgets);
  return {
    budgets: budgets.map(presentKeyBudget),
    effective_budget: effective === undefined ? null : presentKeyBudget(effective),
  };
}

/** Returns the first exhausted budget, or else the one with the least money left. */
function blockingFirst(budgets: readonly KeyBudget[]): KeyBudget | undefined {
  const left = ({ limitNanos, spentNanos }: KeyBudget): bigint => limitNanos - spentNanos;
  const spent = budgets.find((budget) => left(budget) <= 0n);
  return spent ?? budgets.toSorted((a, b) => Number(left(a) - left(b)))[0];
}

function presentKeyBudget(budget: KeyBudget): KeyBudgetRecord {
  const { limitNanos, spentNanos, interval, workspaceBudgetId } = budget;
  return {
    scope: workspaceBudgetId === null ? 'key_limit' : 'workspace',
    budget_id: workspaceBudgetId,
    guardrail_id: null,
    limit_usd: nanosToUsd(limitNanos),
    spend_usd: nanosToUsd(spentNanos),
    remaining_usd: nanosToUsd(limitNanos - spentNanos),
    include_byok: budget.includeByok,
    reset_interval: interval === 'lifetime' ? null : interval,
    resets_at: budget.resetsAt?.toISOString() ?? null,
  };
}
