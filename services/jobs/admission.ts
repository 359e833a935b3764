import { createAccountStore } from '../../db/account-store.ts';
import { createApiKeyStore } from '../../db/api-key-store.ts';
import type { Handle } from '../../db/connection.ts';
import { createPayerCounters } from '../../db/payer-counters.ts';
import { AppError } from '../../domain/errors.ts';
import type { Nanos } from '../../domain/money.ts';
import { hasExpired, type Principal } from '../../domain/principal.ts';
import { countedUnder, leftUnder, periodStart, utcDay } from '../../domain/spending-limit.ts';
import { refusalOf } from '../spending/refusal.ts';

/**
 * Refuses a job whose price the key's limit, the credit or a budget would not cover (402), and one whose key was
 * disabled or deleted or has expired since it was verified (401). Returns the workspace that the key is in now; the job
 * is judged and recorded there. It runs in the transaction that inserts the job: an open job's price is its reservation,
 * so where a ceiling applies the organization's row is locked and two requests cannot both spend the last dollar. It
 * locks the workspace before the organization, like all code that locks both.
 */
export async function admitSpending(
  transaction: Handle,
  principal: Principal,
  priceNanos: Nanos,
  creditsUrl: string,
): Promise<{ workspaceId: string }> {
  // As they are now: those of the principal may be a second old.
  const key = await createApiKeyStore(transaction).findAndHold(principal.keyHash);
  if (key === null || key.disabled || hasExpired(key, Date.now())) throw new AppError('missing_credential');
  if (priceNanos > 0n) await weigh(transaction, key, priceNanos, creditsUrl);
  return { workspaceId: key.workspaceId };
}

async function weigh(
  transaction: Handle,
  { keyId, organizationId, workspaceId, ceilings }: Principal,
  priceNanos: Nanos,
  creditsUrl: string,
): Promise<void> {
  if (ceilings === undefined) return;
  await createAccountStore(transaction).lock(organizationId);
  const ids = { key: keyId, organization: organizationId, workspace: workspaceId };
  const today = utcDay(Date.now());
  const counters = await createPayerCounters(transaction).read(
    ceilings.map(({ payer, interval }) => ({
      payer,
      id: ids[payer],
      sinceDay: periodStart(interval, today),
    })),
  );
  const price = { usage: priceNanos, byok: 0n };
  for (const [index, ceiling] of ceilings.entries()) {
    const known = counters[index];
    if (known === undefined || leftUnder(ceiling, known) < countedUnder(ceiling, price)) {
      throw refusalOf(ceiling, creditsUrl);
    }
  }
}
