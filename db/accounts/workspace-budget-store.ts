import { newUuid } from '../../domain/ids.ts';
import type { Nanos } from '../../domain/money.ts';
import { LIMIT_INTERVALS, type LimitInterval } from '../../domain/ceiling.ts';
import type { Handle } from '../postgres/connection.ts';
import { anyRows, oneRow } from '../postgres/results.ts';
import { numeric, oneOf, type RowOf, selectList, timestamptz, uuid } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';

const BUDGET = {
  id: uuid,
  workspaceId: uuid,
  interval: oneOf(LIMIT_INTERVALS),
  limitNanos: numeric,
  createdAt: timestamptz,
  updatedAt: timestamptz.orNull,
};
type BudgetRow = RowOf<typeof BUDGET>;
const COLUMNS = selectList(BUDGET);

export type WorkspaceBudget = Omit<BudgetRow, 'limitNanos'> & { limitNanos: Nanos };

/** Stores budgets of workspaces, one for each interval. A trigger notifies every process of a committed change. */
export function createWorkspaceBudgetStore(handle: Handle) {
  return {
    async upsert(workspaceId: string, interval: LimitInterval, limitNanos: Nanos): Promise<WorkspaceBudget> {
      const row = await oneRow(
        handle,
        BUDGET,
        `insert into workspace_budgets (id, workspace_id, interval, limit_nanos)
         values (:id, :workspaceId, :interval, :limitNanos)
         on conflict (workspace_id, interval) do update
           set limit_nanos = excluded.limit_nanos, updated_at = clock_timestamp()
         returning ${COLUMNS}`,
        { id: newUuid(), workspaceId, interval, limitNanos: limitNanos.toString() },
      );
      return toBudget(row);
    },

    /** Lists budgets, the shortest interval first. */
    async list(workspaceId: string): Promise<WorkspaceBudget[]> {
      const rows = await rowsOf(
        handle,
        BUDGET,
        `select ${COLUMNS} from workspace_budgets where workspace_id = :workspaceId
         order by array_position(array['daily', 'weekly', 'monthly', 'lifetime'], interval)`,
        { workspaceId },
      );
      return rows.map(toBudget);
    },

    /** Deletes a budget. Returns false if there was none. */
    delete: (workspaceId: string, interval: LimitInterval): Promise<boolean> =>
      anyRows(
        handle,
        'delete from workspace_budgets where workspace_id = :workspaceId and interval = :interval',
        { workspaceId, interval },
      ),

    /** Sets whether BYOK usage counts against the workspace's budgets. */
    async setIncludeByok(workspaceId: string, includeByok: boolean): Promise<void> {
      await run(
        handle,
        `update workspaces set include_byok_in_budgets = :includeByok, updated_at = clock_timestamp()
         where id = :workspaceId`,
        { workspaceId, includeByok },
      );
    },
  };
}

export type WorkspaceBudgetStore = ReturnType<typeof createWorkspaceBudgetStore>;

function toBudget(row: BudgetRow): WorkspaceBudget {
  return { ...row, limitNanos: BigInt(row.limitNanos) };
}
