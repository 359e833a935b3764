/** A failure that the user can fix; its message is printed without a stack trace. */
export class StackError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'StackError';
  }
}

/** Prints an error: the message of a StackError, or the stack of any other. */
export function reportFailure(error: unknown): void {
  const text =
    error instanceof StackError ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`\n${text}\n\n`);
}
