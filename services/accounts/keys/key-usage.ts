/** Adds usage and remaining limits to the API keys that an answer lists. */
import type { UsageReadModel } from '../../../db/insights/usage-read-model.ts';
import type { KeyWithUsage, ManagedKey } from '../../../domain/accounts/api-key.ts';
import { addSpend, remainingOfKey, type Spend } from '../../../domain/ledger/spending-limit.ts';

export interface KeyUsageDeps {
  usage: Pick<UsageReadModel, 'ofKeys'>;
  /** Returns the amount that requests in flight reserve in this process. */
  spending: { reservedBy(keyId: number): Spend };
}

/** Adds usage and remaining limits to keys. The remainder is computed as it is for refusals. */
export function createKeyUsage({ usage, spending }: KeyUsageDeps) {
  const of = async (keys: ManagedKey[]): Promise<KeyWithUsage[]> => {
    // Read reservations first: a request that settles meanwhile is then counted twice rather than not at all.
    const reserved = keys.map(({ id }) => spending.reservedBy(id));
    const used = await usage.ofKeys(
      keys.map(({ id }) => id),
      new Date(),
    );
    return keys.map((key, index) => {
      const { open, ...periods } = used[index]!;
      const limitRemainingNanos = remainingOfKey(key, periods, addSpend(open, reserved[index]!));
      return { ...key, ...periods, limitRemainingNanos };
    });
  };
  return {
    of,
    async ofOne(key: ManagedKey): Promise<KeyWithUsage> {
      const [known] = await of([key]);
      return known!;
    },
  };
}
