/** Stores the credit that organizations bought. */
import { newUuid } from '../../domain/ids.ts';
import type { Nanos } from '../../domain/money.ts';
import type { Handle } from '../postgres/connection.ts';
import { numeric, type RowOf, selectList, text, timestamptz, uuid } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';

const CREDIT_ENTRY = {
  id: uuid,
  /** Negative for a correction. */
  amountNanos: numeric,
  note: text,
  createdAt: timestamptz,
};

export type CreditEntry = Omit<RowOf<typeof CREDIT_ENTRY>, 'amountNanos'> & { amountNanos: Nanos };

export interface CreditTotals {
  boughtNanos: Nanos;
  /** The amount that was paid from credit. */
  usedNanos: Nanos;
}

/** Stores credit that organizations bought. `payer-counters.ts` reads it together with their spending. */
export function createCreditStore(handle: Handle) {
  return {
    async add(
      organizationId: string,
      { amountNanos, note }: Pick<CreditEntry, 'amountNanos' | 'note'>,
    ): Promise<{ id: string }> {
      const id = newUuid();
      await run(
        handle,
        `insert into credit_entries (id, organization_id, amount_nanos, note)
         values (:id, :organizationId, :amountNanos, :note)`,
        { id, organizationId, amountNanos: amountNanos.toString(), note },
      );
      return { id };
    },

    /** Lists entries, newest first. */
    async list(organizationId: string, limit: number): Promise<CreditEntry[]> {
      const rows = await rowsOf(
        handle,
        CREDIT_ENTRY,
        `select ${selectList(CREDIT_ENTRY)} from credit_entries where organization_id = :organizationId
         order by created_at desc, id desc limit :limit`,
        { organizationId, limit },
      );
      return rows.map((row) => ({ ...row, amountNanos: BigInt(row.amountNanos) }));
    },

    /** Returns both totals at one moment. */
    async totals(organizationId: string): Promise<CreditTotals> {
      const [row] = await rowsOf(
        handle,
        { bought: numeric, used: numeric },
        `select (select coalesce(sum(amount_nanos), 0) from credit_entries
                 where organization_id = :organizationId) bought,
           (select coalesce(sum(usage_nanos), 0) from (
              select usage_nanos from organization_usage_totals where organization_id = :organizationId
              union all
              select usage_nanos from unsummed where organization_id = :organizationId) spent) used`,
        { organizationId },
      );
      return { boughtNanos: BigInt(row?.bought ?? 0), usedNanos: BigInt(row?.used ?? 0) };
    },
  };
}

export type CreditStore = ReturnType<typeof createCreditStore>;
