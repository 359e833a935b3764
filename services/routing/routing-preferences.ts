/** Converts the caller's `provider` object to the preferences by which endpoints are chosen. */
import { NO_PREFERENCES, type RoutingPreferences } from '../../domain/routing/routing.ts';
import type { Percentiles } from '../../domain/catalog/endpoint-performance.ts';
import type { ProviderSort } from '../../domain/accounts/workspace.ts';

/** The `provider` object of a request after validation by the contract. */
export interface PreferencesBody {
  allow_fallbacks?: boolean | null | undefined;
  require_parameters?: boolean | null | undefined;
  data_collection?: 'deny' | 'allow' | null | undefined;
  zdr?: boolean | null | undefined;
  enforce_distillable_text?: boolean | null | undefined;
  order?: string[] | null | undefined;
  only?: string[] | null | undefined;
  ignore?: string[] | null | undefined;
  quantizations?: string[] | null | undefined;
  sort?:
    | ProviderSort
    | { by?: ProviderSort | null | undefined; partition?: 'model' | 'none' | null | undefined }
    | null
    | undefined;
  max_price?: { [unit: string]: string | number | null | undefined } | null | undefined;
  preferred_min_throughput?: PercentilesBody;
  preferred_max_latency?: PercentilesBody;
  options?: Record<string, Record<string, unknown>> | null | undefined;
}

type PercentilesBody = number | { [name: string]: number | null | undefined } | null | undefined;

/** The sorting that a request's names of models request, by model id. Undefined when no name requests one. */
export type ModelSorts = ReadonlyMap<string, ProviderSort> | undefined;

/**
 * Returns preferences with defaults filled in. The request's own sort overrides that of its models' names, which
 * overrides the workspace's. The older `route` applies when the request has no partition. When endpoints are sorted
 * over all models, the first name with a sort decides.
 */
export function toPreferences(
  body: PreferencesBody | null | undefined,
  defaultSort: ProviderSort | null,
  route: 'fallback' | 'sort' | null | undefined,
  modelSorts?: ModelSorts,
): RoutingPreferences {
  const isPlain = defaultSort === null && !route && modelSorts === undefined;
  if ((body === null || body === undefined) && isPlain) return NO_PREFERENCES;
  const given = body ?? {};
  const sort = typeof given.sort === 'string' ? { by: given.sort } : (given.sort ?? {});
  const partition = sort.partition ?? (route === 'sort' ? 'none' : 'model');
  const [first = null] = partition === 'none' ? (modelSorts?.values() ?? []) : [];
  return {
    allowFallbacks: given.allow_fallbacks ?? true,
    requireParameters: given.require_parameters ?? false,
    denyDataCollection: given.data_collection === 'deny',
    zdr: given.zdr ?? false,
    distillable: given.enforce_distillable_text ?? false,
    order: lowerCase(given.order) ?? [],
    only: lowerCase(given.only),
    ignore: lowerCase(given.ignore) ?? [],
    quantizations: given.quantizations ?? null,
    sort: sort.by ?? first ?? defaultSort,
    modelSorts: !sort.by && partition === 'model' ? modelSorts : undefined,
    partition,
    maxPrice: toDecimals(given.max_price ?? {}),
    minThroughput: toPercentiles(given.preferred_min_throughput),
    maxLatency: toPercentiles(given.preferred_max_latency),
  };
}

function lowerCase(names: string[] | null | undefined): string[] | null {
  return names?.map((name) => name.toLowerCase()) ?? null;
}

function toDecimals(prices: {
  [unit: string]: string | number | null | undefined;
}): RoutingPreferences['maxPrice'] {
  const decimals: Record<string, string> = {};
  for (const [unit, price] of Object.entries(prices)) {
    if (price !== null && price !== undefined)
      decimals[unit] = typeof price === 'number' ? plainDecimal(price) : price;
  }
  return decimals;
}

/** Writes a price without an exponent, which JavaScript uses for small numbers. */
function plainDecimal(price: number): string {
  return price.toFixed(12);
}

/** Returns percentiles; a single number is the requested median. */
function toPercentiles(requested: PercentilesBody): Percentiles {
  if (requested === null || requested === undefined) return {};
  if (typeof requested === 'number') return { p50: requested };
  return Object.fromEntries(
    Object.entries(requested).filter(([, value]) => value !== null && value !== undefined),
  );
}
