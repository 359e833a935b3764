/** A wrong command line. The message shows the right usage and is printed without a stack. */
export class AdminUsageError extends Error {}
