/** Creates and recognizes the 402 errors for reached spending limits. */
import { AppError, type AppErrorOptions, type ErrorCode } from '../../../domain/errors.ts';
import type { Ceiling } from '../../../domain/ceiling.ts';

/** Returns the 402 for a ceiling that is reached. */
export function refusalOf(
  { payer }: Ceiling,
  creditsUrl: string,
  details: Pick<AppErrorOptions, 'affordableTokens'> = {},
): AppError {
  switch (payer) {
    case 'key':
      return new AppError('key_limit_exceeded', details);
    case 'workspace':
      return new AppError('budget_exceeded', details);
    case 'organization':
      return new AppError('insufficient_credits', {
        ...details,
        publicMessage: `Insufficient credits. Add credits at ${creditsUrl}`,
      });
  }
}

const REFUSALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'insufficient_credits',
  'key_limit_exceeded',
  'budget_exceeded',
]);

/** Returns whether the error is the 402 of any ceiling. */
export function isSpendingRefusal(error: unknown): boolean {
  return error instanceof AppError && REFUSALS.has(error.code);
}
