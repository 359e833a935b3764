/** Reads every spending limit whose owner wants alerts, so that workers can compare it with the spending. */
import { type Ceiling, LIMIT_INTERVALS, PAYER_KINDS, type PayerKind } from '../../domain/ceiling.ts';
import type { Handle } from '../postgres/connection.ts';
import { bool, int2s, numeric, oneOf, type RowOf, text, timestamptz, uuid } from '../postgres/shape.ts';
import { rowsOf } from '../postgres/statement.ts';
import type { ScanPosition } from '../ledger/budget-alert-scan-store.ts';

const LIMIT = {
  payer: oneOf(PAYER_KINDS),
  /** The id of the row that sets the limit: a key, a budget or an organization. */
  id: text,
  /** The numeric id of a key, or the id of a workspace or organization. */
  payerId: text,
  /** The payer's public id. */
  shownId: text,
  organizationId: uuid,
  /** Null: the alerts belong to the organization. */
  workspaceId: uuid.orNull,
  interval: oneOf(LIMIT_INTERVALS),
  /** Null: the limit is the credit. */
  limitNanos: numeric.orNull,
  includeByok: bool,
  alertThresholds: int2s,
  /** The time since which the limit and the rules of counting are unchanged. */
  unchangedSince: timestamptz,
};
type LimitRow = RowOf<typeof LIMIT>;

/** A spending limit for which alerts are sent. */
export type BudgetLimit = Omit<LimitRow, 'limitNanos'> & Pick<Ceiling, 'limit'>;

/** A payer with the id that counters use. */
export interface LimitedPayer {
  kind: PayerKind;
  id: number | string;
}

/** A payer with its name; null for an organization. */
export type NamedPayer = LimitedPayer & { name: string | null };

const MARKED = { kind: oneOf(PAYER_KINDS), id: text, name: text.orNull };

/** SQL: the payer has a mark that counts. */
const isMarked = (kind: PayerKind, id: string): string => `exists (
  select from budget_alerts a where a.payer = '${kind}' and a.payer_id = ${id} and a.threshold >= :threshold
    and (a.period_ends_at is null or a.period_ends_at > now()))`;

const MARKED_PAYERS = `
  select * from (
    (select 'organization' kind, o.id::text id, null name from organizations o
     where o.id = :organizationId and o.credit_enforcement and ${isMarked('organization', 'o.id::text')})
    union all
    (select 'workspace', w.id::text, w.name from workspaces w
     where w.organization_id = :organizationId and w.deleted_at is null
       and ${isMarked('workspace', 'w.id::text')} order by w.id limit :limit)
    union all
    (select 'key', k.id::text, k.name from api_keys k
     where k.organization_id = :organizationId and k.deleted_at is null and not k.disabled and k.limit_nanos > 0
       and ${isMarked('key', 'k.id::text')} order by k.id limit :limit)
  ) marked limit :limit`;

const KEYS = `
  select 'key' payer, k.id::text id, k.id::text "payerId", k.hash "shownId", k.organization_id "organizationId",
    k.workspace_id "workspaceId", coalesce(k.limit_reset, 'lifetime') "interval", k.limit_nanos "limitNanos",
    k.include_byok_in_limit "includeByok", w.budget_alert_thresholds "alertThresholds",
    greatest(k.created_at, k.limit_changed_at, w.budgets_changed_at, s.created_at) "unchangedSince"
  from api_keys k join workspaces w on w.id = k.workspace_id cross join budget_alert_scan s
  where k.limit_nanos > 0 and k.deleted_at is null and w.deleted_at is null
    and w.budget_alert_thresholds <> '{}'`;

const BUDGETS = `
  select 'workspace' payer, b.id::text id, w.id::text "payerId", w.id::text "shownId",
    w.organization_id "organizationId", w.id "workspaceId", b.interval, b.limit_nanos "limitNanos",
    w.include_byok_in_budgets "includeByok", w.budget_alert_thresholds "alertThresholds",
    greatest(b.created_at, b.updated_at, w.budgets_changed_at, s.created_at) "unchangedSince"
  from workspace_budgets b join workspaces w on w.id = b.workspace_id cross join budget_alert_scan s
  where b.limit_nanos > 0 and w.deleted_at is null and w.budget_alert_thresholds <> '{}'`;

const CREDITS = `
  select 'organization' payer, o.id::text id, o.id::text "payerId", o.id::text "shownId", o.id "organizationId",
    null::uuid "workspaceId", 'lifetime' "interval", null::numeric "limitNanos", false "includeByok",
    w.budget_alert_thresholds "alertThresholds", greatest(w.budgets_changed_at, s.created_at) "unchangedSince"
  from organizations o join workspaces w on w.organization_id = o.id and w.is_default
    cross join budget_alert_scan s
  where o.credit_enforcement and w.budget_alert_thresholds <> '{}'`;

/** Statements that read a page of limits in the order of their ids. */
const PAGES: Record<PayerKind, string> = {
  key: `${KEYS} and k.id > :afterId::bigint order by k.id limit :limit`,
  workspace: `${BUDGETS} and b.id > :afterId::uuid order by b.id limit :limit`,
  organization: `${CREDITS} and o.id > :afterId::uuid order by o.id limit :limit`,
};

const OF_PAYERS = `
  ${KEYS} and k.id = any(:keys::bigint[])
  union all ${BUDGETS} and b.workspace_id = any(:workspaces::uuid[])
  union all ${CREDITS} and o.id = any(:organizations::uuid[])`;

/**
 * Reads the limits of keys, workspace budgets and enforced credit. Deleted ones, and those of workspaces without
 * alerts, are left out.
 */
export function createBudgetLimitReadModel(handle: Handle) {
  return {
    async page({ payer, afterId }: ScanPosition, limit: number): Promise<BudgetLimit[]> {
      return (await rowsOf(handle, LIMIT, PAGES[payer], { afterId, limit })).map(toLimit);
    },

    /**
     * Returns payers of an organization that have reached a threshold of this percentage or a higher one in a period
     * that has not ended. One whose limit was raised since then is among them.
     */
    async marked(organizationId: string, threshold: number, limit: number): Promise<NamedPayer[]> {
      const rows = await rowsOf(handle, MARKED, MARKED_PAYERS, { organizationId, threshold, limit });
      return rows.map(({ id, kind, ...row }) => ({ ...row, kind, id: kind === 'key' ? Number(id) : id }));
    },

    /** Returns all limits of these payers that have alerts. */
    async of(payers: readonly LimitedPayer[]): Promise<BudgetLimit[]> {
      const ids = (kind: PayerKind) => payers.filter((payer) => payer.kind === kind).map(({ id }) => `${id}`);
      const values = { keys: ids('key'), workspaces: ids('workspace'), organizations: ids('organization') };
      return (await rowsOf(handle, LIMIT, OF_PAYERS, values)).map(toLimit);
    },
  };
}

function toLimit({ limitNanos, ...row }: LimitRow): BudgetLimit {
  return { ...row, limit: limitNanos === null ? 'credit' : BigInt(limitNanos) };
}
