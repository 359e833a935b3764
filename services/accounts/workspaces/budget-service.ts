/** Manages the budgets of workspaces. */
import { createAuditStore } from '../../../db/accounts/audit-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import {
  createWorkspaceBudgetStore,
  type WorkspaceBudget,
} from '../../../db/accounts/workspace-budget-store.ts';
import type { Nanos } from '../../../domain/money.ts';
import type { Actor } from '../../../domain/principal.ts';
import type { LimitInterval } from '../../../domain/ceiling.ts';
import { requireFound } from '../../require-found.ts';
import { findWorkspace, lockWorkspace } from './find-workspace.ts';

export interface Budgets {
  budgets: WorkspaceBudget[];
  /** True when usage with own keys counts against all budgets of the workspace. */
  includeByok: boolean;
}

export interface BudgetChange {
  limitNanos: Nanos;
  /** The new value; when absent, it stays unchanged. */
  includeByok?: boolean | undefined;
}

/**
 * Manages the budgets of workspaces by interval. A reference that names no workspace of the organization gets a 404.
 * Each write leaves an audit row. A change applies in every process within a second, when the notice about the
 * workspace's keys arrives.
 */
export function createBudgetService({ knex }: { knex: Handle }) {
  const list = async (organizationId: string, reference: string): Promise<Budgets> => {
    const workspace = await findWorkspace(knex, organizationId, reference);
    const budgets = await createWorkspaceBudgetStore(knex).list(workspace.id);
    return { budgets, includeByok: workspace.includeByokInBudgets };
  };
  return {
    /** Lists the budgets, the shortest interval first. */
    list,
    /** Returns the budget of an interval. Throws 404 when there is none. */
    async get(
      organizationId: string,
      reference: string,
      interval: LimitInterval,
    ): Promise<{ budget: WorkspaceBudget; includeByok: boolean }> {
      const { budgets, includeByok } = await list(organizationId, reference);
      const budget = budgets.find((one) => one.interval === interval) ?? null;
      return { budget: requireFound(budget), includeByok };
    },
    set: (
      actor: Actor,
      reference: string,
      interval: LimitInterval,
      { limitNanos, includeByok }: BudgetChange,
    ): Promise<{ budget: WorkspaceBudget; includeByok: boolean }> =>
      knex.transaction(async (transaction) => {
        const workspace = await lockWorkspace(transaction, actor.organizationId, reference);
        const store = createWorkspaceBudgetStore(transaction);
        if (includeByok !== undefined && includeByok !== workspace.includeByokInBudgets) {
          await store.setIncludeByok(workspace.id, includeByok);
          // The setting applies to all budgets, so the audit row names the workspace and no interval.
          await audit(transaction, actor, 'setWorkspaceBudget', `workspaces/${workspace.id}`);
        }
        const budget = await store.upsert(workspace.id, interval, limitNanos);
        await audit(transaction, actor, 'setWorkspaceBudget', targetOf(workspace.id, interval));
        return { budget, includeByok: includeByok ?? workspace.includeByokInBudgets };
      }),
    /** Deletes a budget. Does nothing when there is none. */
    remove: (actor: Actor, reference: string, interval: LimitInterval): Promise<void> =>
      knex.transaction(async (transaction) => {
        const { id } = await lockWorkspace(transaction, actor.organizationId, reference);
        if (!(await createWorkspaceBudgetStore(transaction).delete(id, interval))) return;
        await audit(transaction, actor, 'deleteWorkspaceBudget', targetOf(id, interval));
      }),
  };
}

function targetOf(id: string, interval: LimitInterval): string {
  return `workspaces/${id}/budgets/${interval}`;
}

async function audit(transaction: Handle, actor: Actor, action: string, target: string): Promise<void> {
  await createAuditStore(transaction).insert(actor, { action, target });
}

export type BudgetService = ReturnType<typeof createBudgetService>;
