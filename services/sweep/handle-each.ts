/** Handles the rows that a question of the sweep has found, within a time limit. */
import type { Logger } from '../../platform/logger.ts';

/** A row of a page. Rows with an organization may have to wait for those of others. */
export interface SweptRow {
  id: string;
  organizationId?: string;
}

/**
 * Handles one row. `later` means that no more runs of the row's organization can be started now, so its other rows wait
 * for the next sweep.
 */
export type Work<Deps, Row> = (deps: Deps, row: Row) => Promise<boolean | 'later'>;

/** The part of the sweep's two minutes (activities/sweep-activities.ts) that one question may take. */
export const BUDGET_MS = 10_000;

/** Handles each row of a page. Returns the number of rows that it changed. */
export async function handleEach<Deps extends { logger: Pick<Logger, 'error'> }, Row extends SweptRow>(
  deps: Deps,
  page: () => Promise<Row[]>,
  work: Work<Deps, Row>,
  signal: AbortSignal | undefined,
): Promise<number> {
  const mustStop = (): boolean => signal?.aborted === true;
  if (mustStop()) return 0;
  const rows = await page();
  let changed = 0;
  const untilMs = Date.now() + BUDGET_MS;
  const postponed = new Set<string | undefined>();
  for (const row of rows) {
    if (Date.now() > untilMs || mustStop()) break;
    if (postponed.has(row.organizationId)) continue;
    try {
      const result = await work(deps, row);
      if (result === 'later') postponed.add(row.organizationId);
      else if (result) changed += 1;
    } catch (error) {
      deps.logger.error({ err: error, id: row.id }, 'not swept; the next sweep tries again');
    }
  }
  return changed;
}
