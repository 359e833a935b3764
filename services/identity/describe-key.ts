import type { ApiKeyStore, LimitReset } from '../../db/api-key-store.ts';
import type { PeriodUsage, UsageReadModel } from '../../db/usage-read-model.ts';
import { AppError } from '../../domain/errors.ts';
import type { Nanos } from '../../domain/money.ts';
import type { Principal } from '../../domain/principal.ts';
import { spentInPeriod } from '../../domain/spending-limit.ts';

export interface KeyInfo extends PeriodUsage {
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
}

export interface DescribeKeyDeps {
  keys: Pick<ApiKeyStore, 'findByHash'>;
  usage: UsageReadModel;
}

/** The caller's own key with its usage by period and what its limit leaves, open jobs subtracted. */
export async function describeKey(deps: DescribeKeyDeps, principal: Principal, now: Date): Promise<KeyInfo> {
  const [key, usage, reserved] = await Promise.all([
    deps.keys.findByHash(principal.keyHash),
    deps.usage.ofKey(principal.keyId, now),
    deps.usage.reservedByKey(principal.keyId),
  ]);
  if (key === null) throw new AppError('missing_credential');
  const spent = spentInPeriod(usage, key.limitReset, key.includeByokInLimit);
  return {
    ...usage,
    label: key.label,
    kind: key.kind,
    limitNanos: key.limitNanos,
    limitRemainingNanos: key.limitNanos === null ? null : atLeastZero(key.limitNanos - spent - reserved),
    limitReset: key.limitReset,
    includeByokInLimit: key.includeByokInLimit,
    creatorUserId: key.creatorUserId ?? null,
    organizationId: key.organizationId,
    workspaceId: key.workspaceId,
    expiresAt: key.expiresAt ?? null,
  };
}

function atLeastZero(nanos: Nanos): Nanos {
  return nanos > 0n ? nanos : 0n;
}
