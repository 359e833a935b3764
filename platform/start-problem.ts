/** Defines the error of a process that cannot start, for a reason that the operator can fix. */

/** Its message is one line, which is logged without a stack. */
export class StartProblem extends Error {}
