/** The largest directory that a run reads. */
export const MAX_PEOPLE = 500_000;
export const MAX_GROUPS = 20_000;
/** The largest page of a source, in bytes. */
export const MAX_PAGE_BYTES = 64 * 1024 * 1024;
/** Lists of a source that contradict themselves are read so many times more. */
export const MAX_READINGS_AGAIN = 2;
/**
 * Members or groups that are missing at the source are asked for one by one up to this number. A job with more is stopped by its
 * guard, unless it allows deletions.
 */
export const MAX_QUESTIONS = 1_000;
/** Clocks differ: what changed shortly before the last reading is read once more. */
export const CHANGE_OVERLAP_MS = 5 * 60_000;
/** The longest time between complete readings. */
export const FULL_READING_EVERY_MS = 86_400_000;
/** A job keeps so many warnings. */
export const MAX_WARNINGS = 100;
/** A lost run is replaced by a new one up to so many times. */
export const MAX_RESTARTS = 5;
