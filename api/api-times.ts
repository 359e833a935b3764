/** The times of the work that the API does in the background. Operators have no reason to change them; tests do. */
import { KEY_USE_INTERVAL_MS } from '../services/accounts/identity/key-uses.ts';
import { MODEL_STATISTICS_INTERVAL_MS } from '../services/catalog/statistics/model-statistics.ts';
import { LIMIT_WAIT_MS } from '../services/ledger/spending/turns.ts';
import { SWEEP_GRACE_MS } from '../services/sweep/sweep-times.ts';

/** Times of the API that no operator has a reason to change. Tests pass shorter ones. */
export const API_TIMES = {
  /** The sweep may start an accepted job that is older than this. */
  sweepGraceMs: SWEEP_GRACE_MS,
  keyUseIntervalMs: KEY_USE_INTERVAL_MS,
  modelStatisticsIntervalMs: MODEL_STATISTICS_INTERVAL_MS,
  /** The longest time that a request near a spending limit waits for its turn. */
  limitWaitMs: LIMIT_WAIT_MS,
};

export type ApiTimes = typeof API_TIMES;
