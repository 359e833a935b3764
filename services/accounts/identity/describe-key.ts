/** Describes the calling key for `GET /key`: its usage, its limits and what remains of them. */
import type { ApiKeyStore } from '../../../db/accounts/api-key-store.ts';
import type { CreditStore } from '../../../db/accounts/credit-store.ts';
import type { UsageReadModel } from '../../../db/insights/usage-read-model.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Nanos } from '../../../domain/money.ts';
import type { Principal } from '../../../domain/principal.ts';
import {
  addSpend,
  remainingOfKey,
  type Spend,
  type UsageByPeriod,
} from '../../../domain/ledger/spending-limit.ts';
import type { LimitReset } from '../../../domain/ceiling.ts';
import type { GenerationRate, RateLimit } from '../../rate-limits/generation-rate.ts';
import { type KeyBudget, type KeyBudgetDeps, readKeyBudgets } from './key-budgets.ts';

export interface KeyInfo extends UsageByPeriod {
  label: string;
  kind: Principal['kind'];
  limitNanos: Nanos | null;
  limitRemainingNanos: Nanos | null;
  limitReset: LimitReset | null;
  includeByokInLimit: boolean;
  /** The budgets in the order in which they refuse requests. */
  budgets: KeyBudget[];
  creatorUserId: string | null;
  organizationId: string;
  workspaceId: string;
  expiresAt: Date | null;
  /** True when credit is enforced and the organization never bought any. */
  isFreeTier: boolean;
  /** The number of requests of this UTC day that completed and cost nothing. */
  freeRequestsToday: number;
  /** The key's rate limit for generation requests; null when there is none. */
  rateLimit: RateLimit | null;
}

export interface DescribeKeyDeps extends KeyBudgetDeps {
  keys: Pick<ApiKeyStore, 'findByHash'>;
  usage: Pick<UsageReadModel, 'ofKey' | 'freeRequestsToday'>;
  credits: Pick<CreditStore, 'totals'>;
  /** Returns the amount that requests in flight reserve in this process. */
  spending: { reservedBy(keyId: number): Spend };
  generationRate: Pick<GenerationRate, 'limitOf'>;
}

/**
 * Returns the caller's own key, its usage by period, and the remainder of its limit. The remainder is computed as it is
 * for refusals: open jobs and reservations of requests in flight are subtracted.
 */
export async function describeKey(deps: DescribeKeyDeps, principal: Principal, now: Date): Promise<KeyInfo> {
  // Read reservations first: a request that settles meanwhile is then counted twice rather than not at all.
  const reserved = deps.spending.reservedBy(principal.keyId);
  const [key, { open, ...usage }, freeRequestsToday] = await Promise.all([
    deps.keys.findByHash(principal.keyHash),
    deps.usage.ofKey(principal.keyId, now),
    deps.usage.freeRequestsToday(principal.organizationId, principal.keyId, now),
  ]);
  if (key === null) throw new AppError('invalid_credential');
  return {
    ...usage,
    freeRequestsToday,
    isFreeTier: await isFreeTier(deps, key),
    label: key.label,
    kind: key.kind,
    limitNanos: key.limitNanos,
    limitRemainingNanos: remainingOfKey(key, usage, addSpend(open, reserved)),
    limitReset: key.limitReset,
    includeByokInLimit: key.includeByokInLimit,
    budgets: await readKeyBudgets(deps, key, reserved, now),
    creatorUserId: key.creatorUserId ?? null,
    organizationId: key.organizationId,
    workspaceId: key.workspaceId,
    expiresAt: key.expiresAt ?? null,
    rateLimit: deps.generationRate.limitOf(key) ?? null,
  };
}

async function isFreeTier(
  { credits }: DescribeKeyDeps,
  { organizationId, ceilings = [] }: Principal,
): Promise<boolean> {
  if (!ceilings.some(({ limit }) => limit === 'credit')) return false;
  return (await credits.totals(organizationId)).boughtNanos <= 0n;
}
