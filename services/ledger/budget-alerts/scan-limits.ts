import {
  createBudgetAlertScanStore,
  nextPayer,
  type ScanPosition,
} from '../../../db/ledger/budget-alert-scan-store.ts';
import {
  type BudgetLimit,
  createBudgetLimitReadModel,
} from '../../../db/accounts/budget-limit-read-model.ts';
import { isUnreachable } from '../../../db/postgres/outage.ts';
import { type BudgetAlertDeps, checkLimits } from './check-limits.ts';

const SCAN_EVERY_MS = 5 * 60_000;
const PAGE = 500;

/**
 * Checks all limits every five minutes, page by page, until the signal aborts or the time is over. The next call, in
 * any worker, continues after the last completed page. Returns the number of alerts written. The sweep starts the
 * workflows of the alerts.
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
    written += await lookAtPage(deps, page);
    await scan.advance(position, positionAfter(position, page));
  }
  return written;
}

/**
 * Checks a page. A page that cannot be read is split in halves, and a single limit that cannot be read is skipped.
 * Otherwise one payer with a long history would stop the scan for all payers after it.
 */
async function lookAtPage(deps: BudgetAlertDeps, page: BudgetLimit[]): Promise<number> {
  try {
    return (await checkLimits(deps, page)).length;
  } catch (error) {
    // When Postgres is unreachable, splitting the page does not help.
    if (isUnreachable(error)) throw error;
    if (page.length <= 1) {
      const [{ payer, payerId } = {}] = page;
      deps.logger.warn({ err: error, payer, payerId }, 'a limit cannot be read, and has no alerts for now');
      return 0;
    }
  }
  const half = Math.ceil(page.length / 2);
  return (await lookAtPage(deps, page.slice(0, half))) + (await lookAtPage(deps, page.slice(half)));
}

function positionAfter(position: ScanPosition, page: BudgetLimit[]): ScanPosition | null {
  const last = page.length === PAGE ? page.at(-1) : undefined;
  return last === undefined ? nextPayer(position) : { payer: position.payer, afterId: last.id };
}
