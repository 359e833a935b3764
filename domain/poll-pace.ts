/** How often an upstream is asked about a job that runs. */
export interface PollPace {
  floorMs: number;
  ceilingMs: number;
  /** The last check happens this long before the deadline. Temporal's timers move in steps of about a second. */
  deadlineMarginMs: number;
}

export interface PollMoment {
  nowMs: number;
  startedAtMs: number;
  deadlineAtMs: number;
  /** The upstream's own wish, which wins over ours. */
  retryAfterMs?: number;
}

/** A tenth of the job's age between the floor and the ceiling, and never past the deadline. */
export function nextCheckDelayMs(pace: PollPace, moment: PollMoment): number {
  const age = moment.nowMs - moment.startedAtMs;
  const ours = Math.min(Math.max(age / 10, pace.floorMs), pace.ceilingMs);
  const wished = Math.max(moment.retryAfterMs ?? ours, pace.floorMs);
  const lastCheckIn = moment.deadlineAtMs - pace.deadlineMarginMs - moment.nowMs;
  // Inside the margin the last check has been made: wait past the deadline, which then ends the job.
  return Math.round(lastCheckIn > 0 ? Math.min(wished, lastCheckIn) : wished);
}
