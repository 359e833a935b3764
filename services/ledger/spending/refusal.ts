/** Creates and recognizes the 402 errors for reached spending limits. */
import { AppError, type AppErrorOptions, type ErrorCode } from '../../../domain/errors.ts';
import type { Ceiling } from '../../../domain/ceiling.ts';

/** The 402 of a request that a ceiling has no money for. */
export class SpendingRefusal extends AppError {
  readonly ceiling: Ceiling;

  constructor(ceiling: Ceiling, code: ErrorCode, options: AppErrorOptions) {
    super(code, options);
    this.ceiling = ceiling;
  }
}

/** Returns the 402 for a ceiling that is reached. */
export function refusalOf(
  ceiling: Ceiling,
  creditsUrl: string,
  details: Pick<AppErrorOptions, 'affordableTokens'> = {},
): SpendingRefusal {
  switch (ceiling.payer) {
    case 'key':
      return new SpendingRefusal(ceiling, 'key_limit_exceeded', details);
    case 'workspace':
      return new SpendingRefusal(ceiling, 'budget_exceeded', details);
    case 'organization':
      return new SpendingRefusal(ceiling, 'insufficient_credits', {
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
