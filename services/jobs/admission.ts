import { createAccountStore } from '../../db/account-store.ts';
import { createApiKeyStore } from '../../db/api-key-store.ts';
import type { Handle } from '../../db/connection.ts';
import { createUsageReadModel } from '../../db/usage-read-model.ts';
import { AppError } from '../../domain/errors.ts';
import type { Nanos } from '../../domain/money.ts';
import type { Principal } from '../../domain/principal.ts';
import { spentInPeriod } from '../../domain/spending-limit.ts';

/**
 * Refuses a job whose price credit or key limit would not cover (402). Runs in the transaction that inserts
 * the job: an open job's price is its reservation, so where a limit applies the organization's row is locked
 * and two requests cannot both spend the last dollar.
 */
export async function admitSpending(
  transaction: Handle,
  principal: Principal,
  priceNanos: Nanos,
  creditsUrl: string,
): Promise<void> {
  if (priceNanos === 0n) return;
  const payer = await createApiKeyStore(transaction).findWithTerms(principal.keyHash);
  if (payer === null) throw new AppError('missing_credential');
  const { key } = payer;
  if (!payer.creditEnforcement && key.limitNanos === null) return;

  const terms = await createAccountStore(transaction).lockTerms(principal.organizationId);
  const usage = createUsageReadModel(transaction);
  if (key.limitNanos !== null) {
    // In this order: a job that settles in between is counted twice rather than never.
    const reserved = await usage.reservedByKey(key.keyId);
    const periods = await usage.ofKey(key.keyId, new Date());
    const spent = spentInPeriod(periods, key.limitReset, key.includeByokInLimit);
    if (key.limitNanos - spent - reserved < priceNanos) throw new AppError('key_limit_exceeded');
  }
  if (terms.creditEnforcement && (await usage.remainingCredit(principal.organizationId)) < priceNanos) {
    throw new AppError('insufficient_credits', {
      publicMessage: `Insufficient credits. Add credits at ${creditsUrl}`,
    });
  }
}
