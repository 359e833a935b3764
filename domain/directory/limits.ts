/** The largest directory that a run reads. */
export const MAX_PEOPLE = 500_000;
export const MAX_GROUPS = 20_000;
/** The largest page of a source, in bytes. */
export const MAX_PAGE_BYTES = 64 * 1024 * 1024;
/** The most times that a run reads a list or page again because the pages contradict each other. */
export const MAX_READINGS_AGAIN = 2;
/**
 * The most missing members or groups that are looked up one by one. If more are missing, the guard stops the job,
 * unless it allows deletions.
 */
export const MAX_LOOKUPS = 1_000;
/** The overlap of incremental readings, since clocks differ. */
export const CHANGE_OVERLAP_MS = 5 * 60_000;
/** The longest time between complete readings. */
export const FULL_READING_EVERY_MS = 86_400_000;
/** The most warnings that a job keeps. */
export const MAX_WARNINGS = 100;
/** The most new runs that replace a lost one. */
export const MAX_RESTARTS = 5;
