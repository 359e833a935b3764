/** Marks the thresholds of spending limits that were reached, so that no alert is sent twice. */
import type { BudgetAlert } from '../../domain/ledger/budget-alert.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

/** The period of a payer, as in rows of `budget_alerts`. `payerId` is the numeric id of a key or a UUID. */
export interface MarkedPeriod {
  payer: BudgetAlert['payer'];
  payerId: string;
  period: string;
}

/** Stores reached thresholds, one row each, whether or not an event was sent. */
export function createBudgetAlertStore(handle: Handle) {
  return {
    /** Returns the marked thresholds of each period, in the order of the periods. */
    async marks(periods: MarkedPeriod[]): Promise<number[][]> {
      const rows = await uncheckedRowsOf<{ thresholds: number[] }>(
        handle,
        `select array(select a.threshold from budget_alerts a
                      where a.payer = q.payer and a.payer_id = q.payer_id and a.period = q.period) thresholds
         from unnest(?::text[], ?::text[], ?::text[]) with ordinality q (payer, payer_id, period, n) order by n`,
        [
          periods.map(({ payer }) => payer),
          periods.map(({ payerId }) => payerId),
          periods.map(({ period }) => period),
        ],
      );
      return rows.map(({ thresholds }) => thresholds);
    },

    /**
     * Marks thresholds, which must be in ascending order. Returns whether the highest one is new: it was not marked in
     * the period, and neither was a higher one that spending reached. `byRefusal` holds the thresholds that were
     * reached only because the limit refused a request. Call it inside a transaction: others that mark the same
     * threshold wait for its end.
     */
    async mark(
      { payer, payerId, period }: MarkedPeriod,
      thresholds: number[],
      endsAt: Date | null,
      byRefusal: number[] = [],
    ) {
      const highest = Math.max(...thresholds);
      const [row] = await uncheckedRowsOf<{ is_first: boolean }>(
        handle,
        `with q as (select ?::text payer, ?::text payer_id, ?::text period),
         marked as (
           insert into budget_alerts (payer, payer_id, period, threshold, period_ends_at, is_refusal)
           select q.*, threshold, ?::timestamptz, threshold = any(?::smallint[])
           from q, unnest(?::smallint[]) threshold order by threshold
           on conflict do nothing returning threshold)
         select exists (select from marked where threshold = ?) and not exists (
           select from budget_alerts join q using (payer, payer_id, period)
           where threshold > ? and not is_refusal) is_first`,
        [payer, payerId, period, endsAt, byRefusal, thresholds, highest, highest],
      );
      return row?.is_first === true;
    },

    /** Deletes up to `limit` marks of periods that ended more than `retentionMs` ago. Returns the number. */
    async deleteEnded(retentionMs: number, limit: number): Promise<number> {
      const rows = await uncheckedRowsOf<{ threshold: number }>(
        handle,
        `delete from budget_alerts where (payer, payer_id, period, threshold) in (
           select payer, payer_id, period, threshold from budget_alerts
           where period_ends_at < now() - ? * interval '1 millisecond'
           order by period_ends_at limit ? for update skip locked)
         returning threshold`,
        [retentionMs, limit],
      );
      return rows.length;
    },
  };
}
