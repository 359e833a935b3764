/** Remembers how far the workers have checked all spending limits for alerts. */
import type { PayerKind } from '../../domain/ceiling.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

/** The progress of a scan of all limits. */
export interface ScanPosition {
  payer: PayerKind;
  /** The id of the last processed limit. */
  afterId: string;
}

const NIL_UUID = '00000000-0000-0000-0000-000000000000';
/** The payers in the order of a scan, each with an id below the ids of all its limits. */
const STARTS: ScanPosition[] = [
  { payer: 'key', afterId: '0' },
  { payer: 'workspace', afterId: NIL_UUID },
  { payer: 'organization', afterId: NIL_UUID },
];

/** Returns the start of the next payer's limits; null at the end of the scan. */
export function nextPayer({ payer }: ScanPosition): ScanPosition | null {
  return STARTS[STARTS.findIndex((start) => start.payer === payer) + 1] ?? null;
}

/** Stores one scan of all limits, which all workers share. */
export function createBudgetAlertScanStore(handle: Handle) {
  return {
    /** Begins a scan if none is running and the last one began at least `everyMs` ago. */
    async begin(everyMs: number): Promise<void> {
      const [first] = STARTS;
      await handle.raw(
        `update budget_alert_scan set began_at = now(), payer = ?, after_id = ?
         where payer is null and began_at <= now() - ? * interval '1 millisecond'`,
        [first!.payer, first!.afterId, everyMs],
      );
    },

    /** Returns the position of the running scan; null if none is running. */
    async position(): Promise<ScanPosition | null> {
      const [row] = await uncheckedRowsOf<ScanPosition>(
        handle,
        'select payer, after_id "afterId" from budget_alert_scan where payer is not null',
        [],
      );
      return row ?? null;
    },

    /** Advances the scan, unless another worker has done so. */
    async advance(from: ScanPosition, to: ScanPosition | null): Promise<void> {
      await handle.raw(
        'update budget_alert_scan set payer = ?, after_id = ? where payer = ? and after_id = ?',
        [to?.payer ?? null, to?.afterId ?? null, from.payer, from.afterId],
      );
    },
  };
}
