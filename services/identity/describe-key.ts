import type { ApiKeyStore } from '../../db/api-key-store.ts';
import type { UsageReadModel } from '../../db/usage-read-model.ts';
import { AppError } from '../../domain/errors.ts';
import type { Nanos } from '../../domain/money.ts';
import type { Principal } from '../../domain/principal.ts';
import {
  keyCeiling,
  leftUnder,
  type LimitReset,
  type Spend,
  spendIn,
  type UsageByPeriod,
} from '../../domain/spending-limit.ts';
import type { GenerationRate, RateLimit } from '../rate-limits/generation-rate.ts';

export interface KeyInfo extends UsageByPeriod {
  label: string;
  kind: Principal['kind'];
  limitNanos: Nanos | null;
  limitRemainingNanos: Nanos | null;
  limitReset: LimitReset | null;
  includeByokInLimit: boolean;
  creatorUserId: string | null;
  organizationId: string;
  workspaceId: string;
  expiresAt: Date | null;
  /** Null: generation requests of the key are not limited. */
  rateLimit: RateLimit | null;
}

export interface DescribeKeyDeps {
  keys: Pick<ApiKeyStore, 'findByHash'>;
  usage: UsageReadModel;
  /** What requests in flight reserve in this process. */
  spending: { heldBy(keyId: number): Spend };
  generationRate: Pick<GenerationRate, 'limitOf'>;
}

/**
 * The caller's own key with its usage by period and what its limit leaves by the arithmetic that refuses: open jobs
 * and the reservations of requests in flight subtracted.
 */
export async function describeKey(deps: DescribeKeyDeps, principal: Principal, now: Date): Promise<KeyInfo> {
  // First, so that a request which settles meanwhile is counted twice rather than never.
  const held = deps.spending.heldBy(principal.keyId);
  const [key, { open, ...usage }] = await Promise.all([
    deps.keys.findByHash(principal.keyHash),
    deps.usage.ofKey(principal.keyId, now),
  ]);
  if (key === null) throw new AppError('missing_credential');
  const { limitNanos, limitReset, includeByokInLimit } = key;
  return {
    ...usage,
    label: key.label,
    kind: key.kind,
    limitNanos,
    limitRemainingNanos:
      limitNanos === null
        ? null
        : atLeastZero(
            leftUnder(keyCeiling(key, limitNanos), {
              spent: spendIn(limitReset ?? 'lifetime', usage),
              open: sum(open, held),
              creditNanos: 0n,
            }),
          ),
    limitReset,
    includeByokInLimit,
    creatorUserId: key.creatorUserId ?? null,
    organizationId: key.organizationId,
    workspaceId: key.workspaceId,
    expiresAt: key.expiresAt ?? null,
    rateLimit: deps.generationRate.limitOf(key) ?? null,
  };
}

function sum(a: Spend, b: Spend): Spend {
  return { usage: a.usage + b.usage, byok: a.byok + b.byok };
}

function atLeastZero(nanos: Nanos): Nanos {
  return nanos > 0n ? nanos : 0n;
}
