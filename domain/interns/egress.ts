/** Entries of the egress log are deleted after this time. */
export const EGRESS_RETENTION_MS = 30 * 24 * 3_600_000;
