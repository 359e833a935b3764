/** Reads generations with their kept bills, in pages. */
import type { Bill } from '../../domain/ledger/bill.ts';
import { API_TYPES, GENERATION_STATUSES } from '../../domain/ledger/generation.ts';
import type { Handle } from '../postgres/connection.ts';
import { bool, enumOf, int4, json, numeric, type RowOf, text, timestamptz } from '../postgres/shape.ts';
import { rowsOf } from '../postgres/statement.ts';

const BILLED = {
  id: text,
  createdAt: timestamptz,
  model: text,
  provider: text,
  apiType: enumOf(API_TYPES),
  status: enumOf(GENERATION_STATUSES),
  costNanos: numeric,
  isByok: bool,
  /** Null if nothing was used, and for kinds without tokens. */
  tokensPrompt: int4.orNull,
  /** Null if nothing was used, and for rows of versions that did not keep it. */
  bill: json<Bill>().orNull,
};
export type BilledGeneration = RowOf<typeof BILLED>;

/** The generations to read: those that began from `from` until before `to`. */
export interface BilledRange {
  from: Date;
  to: Date;
  organizationId?: string | undefined;
  /** The id or the canonical slug of a model. */
  model?: string | undefined;
}

const PAGE_ROWS = 2_000;

export function createBillReadModel(handle: Handle) {
  return {
    /** Generates the pages in order of time. Each is one statement, so that no snapshot is held for long. */
    async *pages(range: BilledRange): AsyncGenerator<BilledGeneration[], void> {
      const { to, organizationId = null, model = null } = range;
      let [after, afterId] = [range.from, ''];
      for (;;) {
        const values = { after, afterId, to, organizationId, model };
        const rows = await rowsOf(handle, BILLED, PAGE, values);
        if (rows.length > 0) yield rows;
        const last = rows.at(-1);
        if (last === undefined || rows.length < PAGE_ROWS) return;
        [after, afterId] = [last.createdAt, last.id];
      }
    },
  };
}

/** The first condition alone lets Postgres leave out partitions. */
const PAGE = `
  select g.id, g.created_at "createdAt", g.model, g.provider, g.api_type "apiType", g.status, g.cost_nanos "costNanos", g.is_byok "isByok",
    g.tokens_prompt "tokensPrompt", d.bill
  from generations g left join generation_details d on d.created_at = g.created_at and d.id = g.id
  where g.created_at >= :after and g.created_at < :to and (g.created_at, g.id) > (:after, :afterId)
    and (:organizationId::uuid is null or g.organization_id = :organizationId)
    and (:model::text is null or g.model = :model
      or g.model = (select canonical_slug from models where id = :model))
  order by g.created_at, g.id limit ${PAGE_ROWS}`;
