import { newUuid } from '../../domain/ids.ts';
import type { Nanos } from '../../domain/money.ts';
import type { LimitInterval } from '../../domain/ceiling.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

export interface WorkspaceBudget {
  id: string;
  workspaceId: string;
  interval: LimitInterval;
  limitNanos: Nanos;
  createdAt: Date;
  updatedAt: Date | null;
}

interface BudgetRow {
  id: string;
  workspace_id: string;
  interval: LimitInterval;
  limit_nanos: string;
  created_at: Date;
  updated_at: Date | null;
}

/** Stores budgets of workspaces, one for each interval. A trigger notifies every process of a committed change. */
export function createWorkspaceBudgetStore(handle: Handle) {
  return {
    async upsert(workspaceId: string, interval: LimitInterval, limitNanos: Nanos): Promise<WorkspaceBudget> {
      const [row] = await uncheckedRowsOf<BudgetRow>(
        handle,
        `insert into workspace_budgets (id, workspace_id, interval, limit_nanos) values (?, ?, ?, ?)
         on conflict (workspace_id, interval) do update
           set limit_nanos = excluded.limit_nanos, updated_at = clock_timestamp()
         returning *`,
        [newUuid(), workspaceId, interval, limitNanos.toString()],
      );
      if (row === undefined) throw new Error('upsert returned no row');
      return toBudget(row);
    },

    /** Lists budgets, the shortest interval first. */
    async list(workspaceId: string): Promise<WorkspaceBudget[]> {
      const rows = await uncheckedRowsOf<BudgetRow>(
        handle,
        `select * from workspace_budgets where workspace_id = ?
         order by array_position(array['daily', 'weekly', 'monthly', 'lifetime'], interval)`,
        [workspaceId],
      );
      return rows.map(toBudget);
    },

    /** Deletes a budget. Returns false if there was none. */
    async delete(workspaceId: string, interval: LimitInterval): Promise<boolean> {
      const deleted = await handle<BudgetRow>('workspace_budgets')
        .where({ workspace_id: workspaceId, interval })
        .delete();
      return deleted > 0;
    },

    /** Sets whether BYOK usage counts against the workspace's budgets. */
    async setIncludeByok(workspaceId: string, includeByok: boolean): Promise<void> {
      await handle('workspaces')
        .where({ id: workspaceId })
        .update({ include_byok_in_budgets: includeByok, updated_at: handle.raw('clock_timestamp()') });
    },
  };
}

export type WorkspaceBudgetStore = ReturnType<typeof createWorkspaceBudgetStore>;

function toBudget(row: BudgetRow): WorkspaceBudget {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    interval: row.interval,
    limitNanos: BigInt(row.limit_nanos),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
