/** Repeats the sweep at intervals, each with a time limit. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../platform/logger.ts';
import { NOTHING_SWEPT, type SweepReport } from './sweep.ts';

export interface RepeatedSweepOptions {
  /** Ends early when the signal aborts. */
  sweepOnce(signal: AbortSignal): Promise<SweepReport>;
  /** The wait from the end of one sweep to the start of the next. */
  intervalMs: number;
  /** The longest time that one sweep may take. */
  limitMs: number;
  /** The time during which sweeps start. */
  forMs: number;
  signal: AbortSignal;
  logger: Logger;
}

/** The sums of all sweeps. A sweep that failed counts only as `failed`. */
export interface RepeatedSweepReport extends SweepReport {
  sweeps: number;
  failed: number;
}

/**
 * Sweeps until the time is over. A failed sweep is logged, and the next one follows. Throws the signal's reason once
 * the signal aborts.
 */
export async function sweepRepeatedly(options: RepeatedSweepOptions): Promise<RepeatedSweepReport> {
  const { intervalMs, forMs, signal, logger } = options;
  const endsAtMs = performance.now() + forMs;
  const report: RepeatedSweepReport = { sweeps: 0, failed: 0, ...NOTHING_SWEPT };
  for (;;) {
    signal.throwIfAborted();
    try {
      addTo(report, await sweepWithinLimit(options));
    } catch (error) {
      report.failed += 1;
      logger.error({ err: error }, 'a sweep failed; the next one follows');
    }
    const leftMs = endsAtMs - performance.now();
    if (leftMs <= 0) return report;
    await delay(Math.min(intervalMs, leftMs), undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Runs one sweep and stops waiting for it after the limit. The sweep may then still run beside the next one, which is
 * harmless.
 */
async function sweepWithinLimit({ sweepOnce, limitMs, signal }: RepeatedSweepOptions): Promise<SweepReport> {
  const limit = new AbortController();
  const cut = new Promise<never>((_, reject) => {
    limit.signal.addEventListener('abort', () => reject(limit.signal.reason as Error));
  });
  const timer = setTimeout(() => limit.abort(new Error('the sweep took too long')), limitMs);
  try {
    return await Promise.race([sweepOnce(AbortSignal.any([signal, limit.signal])), cut]);
  } finally {
    clearTimeout(timer);
  }
}

function addTo(report: RepeatedSweepReport, swept: SweepReport): void {
  report.sweeps += 1;
  for (const kind of Object.keys(swept) as (keyof SweepReport)[]) report[kind] += swept[kind];
}
