/** Stores the credit that organizations bought. */
import { newUuid } from '../../domain/ids.ts';
import type { Nanos } from '../../domain/money.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

export interface CreditEntry {
  id: string;
  /** Negative for a correction. */
  amountNanos: Nanos;
  note: string;
  createdAt: Date;
}

export interface CreditTotals {
  boughtNanos: Nanos;
  /** The amount that was paid from credit. */
  usedNanos: Nanos;
}

interface EntryRow {
  id: string;
  organization_id: string;
  amount_nanos: string;
  note: string;
  created_at: Date;
}

/** Stores credit that organizations bought. `payer-counters.ts` reads it together with their spending. */
export function createCreditStore(handle: Handle) {
  return {
    async add(
      organizationId: string,
      { amountNanos, note }: Pick<CreditEntry, 'amountNanos' | 'note'>,
    ): Promise<{ id: string }> {
      const id = newUuid();
      await handle('credit_entries').insert({
        id,
        organization_id: organizationId,
        amount_nanos: amountNanos.toString(),
        note,
      });
      return { id };
    },

    /** Lists entries, newest first. */
    async list(organizationId: string, limit: number): Promise<CreditEntry[]> {
      const rows = await handle<EntryRow>('credit_entries')
        .where({ organization_id: organizationId })
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit);
      return rows.map(toEntry);
    },

    /** Returns both totals at one moment. */
    async totals(organizationId: string): Promise<CreditTotals> {
      const [row] = await uncheckedRowsOf<{ bought: string; used: string }>(
        handle,
        `select (select coalesce(sum(amount_nanos), 0) from credit_entries where organization_id = ?) bought,
           (select coalesce(sum(usage_nanos), 0) from organization_usage_totals where organization_id = ?) used`,
        [organizationId, organizationId],
      );
      return { boughtNanos: BigInt(row?.bought ?? 0), usedNanos: BigInt(row?.used ?? 0) };
    },
  };
}

export type CreditStore = ReturnType<typeof createCreditStore>;

function toEntry(row: EntryRow): CreditEntry {
  return {
    id: row.id,
    amountNanos: BigInt(row.amount_nanos),
    note: row.note,
    createdAt: row.created_at,
  };
}
