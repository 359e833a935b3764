/** What was typed cannot be done; the message says what can. Printed without a stack. */
export class AdminUsageError extends Error {}
