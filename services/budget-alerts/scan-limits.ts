import {
  createBudgetAlertScanStore,
  nextPayer,
  type ScanPosition,
} from '../../db/budget-alert-scan-store.ts';
import { type BudgetLimit, createBudgetLimitReadModel } from '../../db/budget-limit-read-model.ts';
import { type BudgetAlertDeps, lookAtLimits } from './look-at-limits.ts';

const SCAN_EVERY_MS = 5 * 60_000;
const PAGE = 500;

/**
 * Looks at all limits every five minutes, page by page, until the signal aborts or the time is over. The next call, by any
 * worker, goes on after the last page that was looked at to its end. Returns how many alerts were written. Their
 * workflows are started by the sweep, as those of any event that nobody started.
 */
export async function scanLimits(
  deps: BudgetAlertDeps,
  { limitMs, signal }: { limitMs: number; signal?: AbortSignal | undefined },
): Promise<number> {
  const scan = createBudgetAlertScanStore(deps.knex);
  const limits = createBudgetLimitReadModel(deps.knex);
  const untilMs = performance.now() + limitMs;
  let written = 0;
  await scan.begin(SCAN_EVERY_MS);
  while (signal?.aborted !== true && performance.now() < untilMs) {
    const position = await scan.position();
    if (position === null) break;
    const page = await limits.page(position, PAGE);
    written += (await lookAtLimits(deps, page)).length;
    await scan.advance(position, positionAfter(position, page));
  }
  return written;
}

function positionAfter(position: ScanPosition, page: BudgetLimit[]): ScanPosition | null {
  const last = page.length === PAGE ? page.at(-1) : undefined;
  return last === undefined ? nextPayer(position) : { payer: position.payer, afterId: last.id };
}
