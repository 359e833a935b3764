import type { PayerKind } from '../../domain/ceiling.ts';
import { type Handle, rowsOf } from '../connection.ts';

/** How far a scan of all limits has come. */
export interface ScanPosition {
  payer: PayerKind;
  /** The id of the last limit that was looked at. */
  afterId: string;
}

/** Payers in the order of a scan, each with an id before all of its limits. */
const NIL_UUID = '00000000-0000-0000-0000-000000000000';
const STARTS: ScanPosition[] = [
  { payer: 'key', afterId: '0' },
  { payer: 'workspace', afterId: NIL_UUID },
  { payer: 'organization', afterId: NIL_UUID },
];

/** Where the limits of the next payer begin; null when the scan is over. */
export function nextPayer({ payer }: ScanPosition): ScanPosition | null {
  return STARTS[STARTS.findIndex((start) => start.payer === payer) + 1] ?? null;
}

/** One scan of all limits, which any number of workers carry on. */
export function createBudgetAlertScanStore(handle: Handle) {
  return {
    /** Begins a scan if none is under way and the last one began so long ago. */
    async begin(everyMs: number): Promise<void> {
      const [first] = STARTS;
      await handle.raw(
        `update budget_alert_scan set began_at = now(), payer = ?, after_id = ?
         where payer is null and began_at <= now() - ? * interval '1 millisecond'`,
        [first!.payer, first!.afterId, everyMs],
      );
    },

    /** Null when no scan is under way. */
    async position(): Promise<ScanPosition | null> {
      const [row] = await rowsOf<ScanPosition>(
        handle,
        'select payer, after_id "afterId" from budget_alert_scan where payer is not null',
        [],
      );
      return row ?? null;
    },

    /** Does nothing when another worker has moved the scan on. */
    async advance(from: ScanPosition, to: ScanPosition | null): Promise<void> {
      await handle.raw(
        'update budget_alert_scan set payer = ?, after_id = ? where payer = ? and after_id = ?',
        [to?.payer ?? null, to?.afterId ?? null, from.payer, from.afterId],
      );
    },
  };
}
