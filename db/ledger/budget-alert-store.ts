/** Marks the thresholds of spending limits that were reached, so that no alert is sent twice. */
import type { BudgetAlert } from '../../domain/ledger/budget-alert.ts';
import type { Handle } from '../postgres/connection.ts';
import { onlyColumn } from '../postgres/results.ts';
import { bool, int2s } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';

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
    marks: (periods: MarkedPeriod[]): Promise<number[][]> =>
      onlyColumn(
        handle,
        { thresholds: int2s },
        `select array(select a.threshold from budget_alerts a
                      where a.payer = q.payer and a.payer_id = q.payer_id and a.period = q.period) thresholds
         from unnest(:payers::text[], :payerIds::text[], :periods::text[])
           with ordinality q (payer, payer_id, period, n) order by n`,
        {
          payers: periods.map(({ payer }) => payer),
          payerIds: periods.map(({ payerId }) => payerId),
          periods: periods.map(({ period }) => period),
        },
      ),

    /**
     * Marks thresholds, which must be in ascending order. Returns whether the highest one is new: it was not marked in
     * the period, and neither was a higher one that spending reached. `byRefusal` holds the thresholds that were
     * reached only because the limit refused a request. Call it inside a transaction: others that mark the same
     * threshold wait for its end.
     */
    async mark(marked: MarkedPeriod, thresholds: number[], endsAt: Date | null, byRefusal: number[] = []) {
      const [row] = await rowsOf(
        handle,
        { isFirst: bool },
        `with q as (select :payer::text payer, :payerId::text payer_id, :period::text period),
         marked as (
           insert into budget_alerts (payer, payer_id, period, threshold, period_ends_at, is_refusal)
           select q.*, threshold, :endsAt::timestamptz, threshold = any(:byRefusal::smallint[])
           from q, unnest(:thresholds::smallint[]) threshold order by threshold
           on conflict do nothing returning threshold)
         select exists (select from marked where threshold = :highest) and not exists (
           select from budget_alerts join q using (payer, payer_id, period)
           where threshold > :highest and not is_refusal) "isFirst"`,
        { ...marked, thresholds, endsAt, byRefusal, highest: Math.max(...thresholds) },
      );
      return row?.isFirst === true;
    },

    /** Deletes up to `limit` marks of periods that ended more than `retentionMs` ago. Returns the number. */
    deleteEnded: (retentionMs: number, limit: number): Promise<number> =>
      run(
        handle,
        `delete from budget_alerts where (payer, payer_id, period, threshold) in (
           select payer, payer_id, period, threshold from budget_alerts
           where period_ends_at < now() - :retentionMs * interval '1 millisecond'
           order by period_ends_at limit :limit for update skip locked)`,
        { retentionMs, limit },
      ),
  };
}
