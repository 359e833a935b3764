/** Decides how long to wait between two status checks of a video job. */
export interface PollBounds {
  shortestMs: number;
  longestMs: number;
}

/** The pace of status checks of a running job. */
export interface PollPace extends PollBounds {
  /** The time between the last check and the deadline. Temporal's timers have steps of about a second. */
  deadlineMarginMs: number;
}

export interface PollMoment {
  nowMs: number;
  startedAtMs: number;
  deadlineAtMs: number;
  /** The delay that the upstream requests, which takes precedence. */
  retryAfterMs?: number | undefined;
}

/** Returns the time until the next poll of a job: a tenth of its age, within the bounds. */
export function pollDelayMs({ shortestMs, longestMs }: PollBounds, ageMs: number): number {
  return Math.min(Math.max(ageMs / 10, shortestMs), longestMs);
}

/**
 * Returns the delay until the next check: by the job's age or the upstream's request, never past the last check before
 * the deadline.
 */
export function nextCheckDelayMs(pace: PollPace, moment: PollMoment): number {
  const ours = pollDelayMs(pace, moment.nowMs - moment.startedAtMs);
  const requested = Math.max(moment.retryAfterMs ?? ours, pace.shortestMs);
  const lastCheckIn = moment.deadlineAtMs - pace.deadlineMarginMs - moment.nowMs;
  // Within the margin, the last check has been made. The wait lasts past the deadline, which then ends the job.
  return Math.round(lastCheckIn > 0 ? Math.min(requested, lastCheckIn) : requested);
}
