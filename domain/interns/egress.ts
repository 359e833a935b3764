/** How long requests that were sent for interns stay in their log. */
export const EGRESS_RETENTION_MS = 30 * 24 * 3_600_000;
