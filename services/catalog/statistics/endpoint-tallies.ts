/** Finds and adds up the statistics of endpoints, and computes their uptime. */
import type { EndpointAttempts, EndpointSpeed } from '../../../db/catalog/model-statistics-read-model.ts';
import type { ListedEndpoint, ListedModel } from '../../../domain/catalog/listed-model.ts';

type Key = Pick<EndpointSpeed, 'endpointId' | 'model' | 'provider' | 'apiType'>;

/** Holds one row of the ledger's statistics for each endpoint. */
export class EndpointTallies<T> {
  readonly #byKey = new Map<string, T>();

  constructor(rows: readonly (Key & T)[]) {
    for (const row of rows) this.#byKey.set(row.endpointId ?? servedAs(row), row);
  }

  /**
   * Returns an endpoint's row. Video jobs do not record their endpoint, so their row is found by model and provider.
   */
  of({ canonicalSlug }: ListedModel, { id, providerSlug, capability }: ListedEndpoint): T | undefined {
    const isJob = capability === 'video';
    const key = isJob ? servedAs({ model: canonicalSlug, provider: providerSlug, apiType: 'video' }) : id;
    return this.#byKey.get(key);
  }
}

function servedAs({ model, provider, apiType }: Omit<Key, 'endpointId'>): string {
  return JSON.stringify([model, provider, apiType]);
}

/** Adds up the calls of each endpoint over rows of different periods. */
export function addUpCalls(rows: readonly EndpointAttempts[]): EndpointAttempts[] {
  const sums = new Map<string, EndpointAttempts>();
  for (const row of rows) {
    const key = row.endpointId ?? servedAs(row);
    const { answered, failed } = sums.get(key) ?? { answered: 0, failed: 0 };
    sums.set(key, { ...row, answered: answered + row.answered, failed: failed + row.failed });
  }
  return [...sums.values()];
}

/** Returns the uptime in percent with two digits; null when there was no call. */
export function uptimeOf(
  tallies: readonly (Pick<EndpointAttempts, 'answered' | 'failed'> | undefined)[],
): number | null {
  let answered = 0;
  let calls = 0;
  for (const tally of tallies) {
    answered += tally?.answered ?? 0;
    calls += (tally?.answered ?? 0) + (tally?.failed ?? 0);
  }
  return calls === 0 ? null : Math.round((answered / calls) * 10_000) / 100;
}
