import type { Logger } from '../../../platform/logger.ts';

const REPORT_EVERY_MS = 1_000;

/**
 * Reports bodies that could not be stored. It combines losses into one line a second, because there may be thousands.
 */
export function createLossReport(
  logger: Pick<Logger, 'error'>,
  message = 'inputs and outputs are not logged',
) {
  let total = 0;
  let reported = 0;
  let last: unknown;
  let timer: NodeJS.Timeout | undefined;
  const report = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (total === reported) return;
    logger.error({ lost: total - reported, lostInAll: total, err: last }, message);
    reported = total;
  };
  return {
    add(count: number, cause: unknown): void {
      total += count;
      last = cause;
      timer ??= setTimeout(report, REPORT_EVERY_MS).unref();
    },
    /** Reports losses now, if there are any. */
    flush: report,
  };
}

export type LossReport = ReturnType<typeof createLossReport>;
