/** Remembers how far the workers have checked all spending limits for alerts. */
import { PAYER_KINDS } from '../../domain/ceiling.ts';
import type { Handle } from '../postgres/connection.ts';
import { firstRow } from '../postgres/results.ts';
import { oneOf, type RowOf, selectList, text } from '../postgres/shape.ts';
import { run } from '../postgres/statement.ts';

/** The progress of a scan of all limits. */
const SCAN_POSITION = {
  payer: oneOf(PAYER_KINDS),
  /** The id of the last processed limit. */
  afterId: text,
};
export type ScanPosition = RowOf<typeof SCAN_POSITION>;

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
      await run(
        handle,
        `update budget_alert_scan set began_at = now(), payer = :payer, after_id = :afterId
         where payer is null and began_at <= now() - :everyMs * interval '1 millisecond'`,
        { ...STARTS[0]!, everyMs },
      );
    },

    /** Returns the position of the running scan; null if none is running. */
    async position(): Promise<ScanPosition | null> {
      const statement = `select ${selectList(SCAN_POSITION)} from budget_alert_scan where payer is not null`;
      return firstRow(handle, SCAN_POSITION, statement);
    },

    /** Advances the scan, unless another worker has done so. */
    async advance(from: ScanPosition, to: ScanPosition | null): Promise<void> {
      await run(
        handle,
        `update budget_alert_scan set payer = :toPayer, after_id = :toAfterId
         where payer = :payer and after_id = :afterId`,
        { ...from, toPayer: to?.payer ?? null, toAfterId: to?.afterId ?? null },
      );
    },
  };
}
