/** A younger row is still in the hands of the process that wrote it. */
export const SWEEP_GRACE_MS = 15_000;

/** The sweep asks Temporal about a started run that no worker has claimed for so long. */
export const UNCLAIMED_AFTER_MS = 120_000;

/** The sweep settles an open job as expired so long after its deadline, if Temporal has no run of it. */
export const OVERDUE_AFTER_MS = 600_000;
