import { createAccountStore } from '../../db/account-store.ts';
import { createApiKeyStore } from '../../db/api-key-store.ts';
import type { Handle } from '../../db/connection.ts';
import { createPayerCounters } from '../../db/payer-counters.ts';
import { AppError } from '../../domain/errors.ts';
import type { Nanos } from '../../domain/money.ts';
import type { Principal } from '../../domain/principal.ts';
import { countedUnder, leftUnder, periodStart, utcDay } from '../../domain/spending-limit.ts';
import { refusalOf } from '../spending/refusal.ts';

/**
 * Refuses a job whose price the key's limit, the credit or a budget would not cover (402). Runs in the transaction
 * that inserts the job: an open job's price is its reservation, so where a ceiling applies the organization's row is
 * locked and two requests cannot both spend the last dollar.
 */
export async function admitSpending(
  transaction: Handle,
  principal: Principal,
  priceNanos: Nanos,
  creditsUrl: string,
): Promise<void> {
  if (priceNanos === 0n) return;
  // As they are now: those of the principal may be a second old.
  const key = await createApiKeyStore(transaction).findByHash(principal.keyHash);
  if (key === null) throw new AppError('missing_credential');
  if (key.ceilings === undefined) return;

  await createAccountStore(transaction).lock(key.organizationId);
  const ids = { key: key.keyId, organization: key.organizationId, workspace: key.workspaceId };
  const today = utcDay(Date.now());
  const counters = await createPayerCounters(transaction).read(
    key.ceilings.map(({ payer, interval }) => ({
      payer,
      id: ids[payer],
      sinceDay: periodStart(interval, today),
    })),
  );
  const price = { usage: priceNanos, byok: 0n };
  for (const [index, ceiling] of key.ceilings.entries()) {
    const known = counters[index];
    if (known === undefined || leftUnder(ceiling, known) < countedUnder(ceiling, price)) {
      throw refusalOf(ceiling, creditsUrl);
    }
  }
}
