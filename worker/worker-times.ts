import { MODEL_STATISTICS_INTERVAL_MS } from '../services/catalog/statistics/model-statistics.ts';
import { OVERDUE_AFTER_MS, SWEEP_GRACE_MS, UNCLAIMED_AFTER_MS } from '../services/sweep/sweep-times.ts';

/** Times of a worker that no operator has a reason to change. Tests pass shorter ones. */
export const WORKER_TIMES = {
  /** The duration of one run of the sweep. */
  sweepRunMs: 3_600_000,
  /** The pause between two sweeps. */
  sweepIntervalMs: 15_000,
  /** The interval of the schedule that deletes expired files and stored responses. */
  expireIntervalMs: 3_600_000,
  sweepGraceMs: SWEEP_GRACE_MS,
  unclaimedAfterMs: UNCLAIMED_AFTER_MS,
  overdueAfterMs: OVERDUE_AFTER_MS,
  /** The pause between two checks of Temporal's search attributes, schedules and sweep. */
  setupIntervalMs: 60_000,
  modelStatisticsIntervalMs: MODEL_STATISTICS_INTERVAL_MS,
};

export type WorkerTimes = typeof WORKER_TIMES;
