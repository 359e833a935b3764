/** The range of statistics of models and endpoints, the current hour and day included. */
export const HOUR_MS = 3_600_000;
export const HOURS = 24;
export const DAY_MS = 24 * HOUR_MS;
export const DAYS = 30;
export const DAYS_OF_WEEK = 7;
