/** A failure that a person can act on: shown as it is, without a stack trace. */
export class StackError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'StackError';
  }
}

/** Prints what went wrong: the words of a StackError, everything of a surprise. */
export function reportFailure(error: unknown): void {
  const text =
    error instanceof StackError ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`\n${text}\n\n`);
}
