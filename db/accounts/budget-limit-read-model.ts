/** Reads every spending limit whose owner wants alerts, so that workers can compare it with the spending. */
import { type Ceiling, CREDIT_CEILING, type LimitInterval, type PayerKind } from '../../domain/ceiling.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
import type { ScanPosition } from '../ledger/budget-alert-scan-store.ts';

/** A spending limit for which alerts are sent. */
export interface BudgetLimit extends Ceiling {
  /** The id of the row that sets the limit: a key, a budget or an organization. */
  id: string;
  /** The numeric id of a key, or the id of a workspace or organization. */
  payerId: string;
  /** The payer's public id. */
  shownId: string;
  organizationId: string;
  /** Null: the alerts belong to the organization. */
  workspaceId: string | null;
  alertThresholds: readonly number[];
  /** The time since which the limit and the rules of counting are unchanged. */
  unchangedSince: Date;
}

/** A payer with the id that counters use. */
export interface LimitedPayer {
  kind: PayerKind;
  id: number | string;
}

interface LimitRow {
  payer: PayerKind;
  id: string;
  payer_id: string;
  shown_id: string;
  organization_id: string;
  workspace_id: string | null;
  interval: LimitInterval;
  limit_nanos: string | null;
  include_byok: boolean;
  thresholds: number[];
  unchanged_since: Date;
}

const KEYS = `
  select 'key' payer, k.id::text id, k.id::text payer_id, k.hash shown_id, k.organization_id, k.workspace_id,
    coalesce(k.limit_reset, 'lifetime') "interval", k.limit_nanos, k.include_byok_in_limit include_byok,
    w.budget_alert_thresholds thresholds,
    greatest(k.created_at, k.limit_changed_at, w.budgets_changed_at, s.created_at) unchanged_since
  from api_keys k join workspaces w on w.id = k.workspace_id cross join budget_alert_scan s
  where k.limit_nanos > 0 and k.deleted_at is null and w.deleted_at is null
    and w.budget_alert_thresholds <> '{}'`;

const BUDGETS = `
  select 'workspace' payer, b.id::text id, w.id::text payer_id, w.id::text shown_id, w.organization_id,
    w.id workspace_id, b.interval, b.limit_nanos, w.include_byok_in_budgets include_byok,
    w.budget_alert_thresholds thresholds,
    greatest(b.created_at, b.updated_at, w.budgets_changed_at, s.created_at) unchanged_since
  from workspace_budgets b join workspaces w on w.id = b.workspace_id cross join budget_alert_scan s
  where b.limit_nanos > 0 and w.deleted_at is null and w.budget_alert_thresholds <> '{}'`;

const CREDITS = `
  select 'organization' payer, o.id::text id, o.id::text payer_id, o.id::text shown_id, o.id organization_id,
    null::uuid workspace_id, 'lifetime' "interval", null::numeric limit_nanos, false include_byok,
    w.budget_alert_thresholds thresholds, greatest(w.budgets_changed_at, s.created_at) unchanged_since
  from organizations o join workspaces w on w.organization_id = o.id and w.is_default
    cross join budget_alert_scan s
  where o.credit_enforcement and w.budget_alert_thresholds <> '{}'`;

/** Statements that read a page of limits in the order of their ids. */
const PAGES: Record<PayerKind, string> = {
  key: `${KEYS} and k.id > ?::bigint order by k.id limit ?`,
  workspace: `${BUDGETS} and b.id > ?::uuid order by b.id limit ?`,
  organization: `${CREDITS} and o.id > ?::uuid order by o.id limit ?`,
};

const OF_PAYERS = `
  ${KEYS} and k.id = any(?::bigint[])
  union all ${BUDGETS} and b.workspace_id = any(?::uuid[])
  union all ${CREDITS} and o.id = any(?::uuid[])`;

/**
 * Reads the limits of keys, workspace budgets and enforced credit. Deleted ones, and those of workspaces without
 * alerts, are left out.
 */
export function createBudgetLimitReadModel(handle: Handle) {
  return {
    async page({ payer, afterId }: ScanPosition, limit: number): Promise<BudgetLimit[]> {
      return (await uncheckedRowsOf<LimitRow>(handle, PAGES[payer], [afterId, limit])).map(toLimit);
    },

    /** Returns all limits of these payers that have alerts. */
    async of(payers: readonly LimitedPayer[]): Promise<BudgetLimit[]> {
      const ids = (kind: PayerKind) => payers.filter((payer) => payer.kind === kind).map(({ id }) => `${id}`);
      const bindings = [ids('key'), ids('workspace'), ids('organization')];
      return (await uncheckedRowsOf<LimitRow>(handle, OF_PAYERS, bindings)).map(toLimit);
    },
  };
}

function toLimit(row: LimitRow): BudgetLimit {
  const ceiling: Ceiling =
    row.limit_nanos === null
      ? CREDIT_CEILING
      : {
          payer: row.payer,
          interval: row.interval,
          limit: BigInt(row.limit_nanos),
          includeByok: row.include_byok,
        };
  return {
    ...ceiling,
    id: row.id,
    payerId: row.payer_id,
    shownId: row.shown_id,
    organizationId: row.organization_id,
    workspaceId: row.workspace_id,
    alertThresholds: row.thresholds,
    unchangedSince: row.unchanged_since,
  };
}
