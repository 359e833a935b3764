import { AppError } from '../../domain/errors.ts';
import type { Ceiling } from '../../domain/spending-limit.ts';

/** The 402 of a ceiling that is reached. */
export function refusalOf({ payer }: Ceiling, creditsUrl: string): AppError {
  switch (payer) {
    case 'key':
      return new AppError('key_limit_exceeded');
    case 'workspace':
      return new AppError('budget_exceeded');
    case 'organization':
      return new AppError('insufficient_credits', {
        publicMessage: `Insufficient credits. Add credits at ${creditsUrl}`,
      });
  }
}
