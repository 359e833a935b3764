/** The age below which the sweep leaves rows alone, because the process that wrote them may still act on them. */
export const SWEEP_GRACE_MS = 15_000;

/** The time after which the sweep asks Temporal about a started run that no worker has claimed. */
export const UNCLAIMED_AFTER_MS = 120_000;

/** The time after its deadline at which the sweep settles an open job as expired, if Temporal has no run of it. */
export const OVERDUE_AFTER_MS = 600_000;
