/** The shortest and the longest time between two polls of a job. */
export interface PollBounds {
  floorMs: number;
  ceilingMs: number;
}

/** How often an upstream is asked about a job that runs. */
export interface PollPace extends PollBounds {
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

/** Returns the time until the next poll of a job of this age: a tenth of the age, between the bounds. */
export function pollDelayMs({ floorMs, ceilingMs }: PollBounds, ageMs: number): number {
  return Math.min(Math.max(ageMs / 10, floorMs), ceilingMs);
}

/** The delay for the job's age, unless the upstream asks for another one, and never past the deadline. */
export function nextCheckDelayMs(pace: PollPace, moment: PollMoment): number {
  const ours = pollDelayMs(pace, moment.nowMs - moment.startedAtMs);
  const wished = Math.max(moment.retryAfterMs ?? ours, pace.floorMs);
  const lastCheckIn = moment.deadlineAtMs - pace.deadlineMarginMs - moment.nowMs;
  // Inside the margin the last check has been made: wait past the deadline, which then ends the job.
  return Math.round(lastCheckIn > 0 ? Math.min(wished, lastCheckIn) : wished);
}
