/** Chooses the endpoints that may serve a request, and orders them by the caller's preferences. */
import type { Region, LiveEndpoint, LiveModel } from '../catalog/catalog.ts';
import type { Percentiles } from '../catalog/endpoint-performance.ts';
import type { OwnAccess } from '../endpoints/own-access.ts';
import { priceRank } from '../catalog/token-price.ts';
import type { TokenPrices } from '../catalog/token-pricing.ts';
import type { ProviderSort } from '../accounts/workspace.ts';
import { isAffordable, type MaxPrice } from './max-price.ts';

/** The caller's routing preferences from `provider`, with the defaults filled in. */
export interface RoutingPreferences {
  allowFallbacks: boolean;
  requireParameters: boolean;
  denyDataCollection: boolean;
  zdr: boolean;
  distillable: boolean;
  /** Names or slugs of providers, ids of endpoints, or `private`; lower case. */
  order: string[];
  only: string[] | null;
  ignore: string[];
  quantizations: string[] | null;
  sort: ProviderSort | null;
  /** Sorts for the endpoints of single models, by model id. */
  modelSorts?: ReadonlyMap<string, ProviderSort> | undefined;
  /** `none`: the endpoints of all models are sorted together. */
  partition: 'model' | 'none';
  maxPrice: MaxPrice;
  /** Tokens a second. */
  minThroughput: Percentiles;
  /** Seconds to the first token. */
  maxLatency: Percentiles;
}

export const NO_PREFERENCES: RoutingPreferences = {
  allowFallbacks: true,
  requireParameters: false,
  denyDataCollection: false,
  zdr: false,
  distillable: false,
  order: [],
  only: null,
  ignore: [],
  quantizations: null,
  sort: null,
  partition: 'model',
  maxPrice: {},
  minThroughput: {},
  maxLatency: {},
};

/** One option to serve a request. */
export interface Target {
  model: LiveModel;
  endpoint: LiveEndpoint;
  /** The customer's own access to the endpoint. Absent: the operator's. */
  own?: OwnAccess;
}

/** Returns the id of the target's circuit. A customer's access has its own. */
export function circuitOf({ endpoint, own }: Target): string {
  return own?.circuitId ?? endpoint.id;
}

/** The recent health of an endpoint; absent numbers are unknown. */
export interface EndpointHealth {
  /** True: the circuit is open, because too many of the last calls failed. */
  open: boolean;
  latencySeconds: Percentiles | null;
  throughput: Percentiles | null;
}

export interface RoutingFacts {
  preferences: RoutingPreferences;
  /** Request fields that an endpoint must support under `require_parameters`. */
  parameters: readonly string[];
  /** The region that the key's data must stay in; null: any. */
  region: Region | null;
  providerName(slug: string): string;
  health(circuitId: string): EndpointHealth | undefined;
  /**
   * Returns a number by which targets are compared, such as the cost of this request. Absent: they are compared by the
   * price of one token in and one out.
   */
  costAt?(target: Target): bigint;
  /** Returns the highest prices that this request can reach at a target. Absent: prices have no conditions. */
  highestPricesAt?(target: Target): TokenPrices;
  /** True: unmeasured endpoints come first in `sort`. Otherwise they come last. */
  triesUnmeasured?: boolean;
}

/**
 * Returns the targets to try, best first; empty if none may serve the request. `candidates` are grouped by model.
 * Targets with an open circuit are left out unless all circuits are open.
 */
export function chooseTargets(candidates: readonly (readonly Target[])[], facts: RoutingFacts): Target[] {
  const groups = candidates.map((targets) => targets.filter((target) => mayServe(target, facts)));
  const sorted =
    facts.preferences.partition === 'none'
      ? sortTargets(groups.flat(), facts)
      : groups.flatMap((group) => onlyFirst(sortTargets(group, facts), facts));
  const usable = sorted.filter((target) => facts.health(circuitOf(target))?.open !== true);
  const targets = usable.length > 0 ? usable : sorted;
  return facts.preferences.partition === 'none' ? onlyFirst(targets, facts) : targets;
}

/** Keeps only the first endpoint if fallbacks are off. Fallback models are kept, since the caller named them. */
function onlyFirst(targets: Target[], { preferences }: RoutingFacts): Target[] {
  return preferences.allowFallbacks ? targets : targets.slice(0, 1);
}

function mayServe(target: Target, facts: RoutingFacts): boolean {
  const { preferences: p, parameters, region, providerName } = facts;
  const { endpoint } = target;
  if (region !== null && endpoint.region !== region) return false;
  if (p.denyDataCollection && endpoint.collectsData) return false;
  if (p.zdr && !endpoint.zdr) return false;
  if (p.distillable && !endpoint.distillable) return false;
  if (p.quantizations !== null && !p.quantizations.includes(endpoint.quantization ?? 'unknown')) return false;
  if (p.only !== null && !isNamed(p.only, target, providerName)) return false;
  if (p.ignore.length > 0 && isNamed(p.ignore, target, providerName)) return false;
  if (p.requireParameters && parameters.some((name) => !endpoint.supportedParameters.includes(name)))
    return false;
  return isAffordable(target.endpoint, p.maxPrice, () => facts.highestPricesAt?.(target));
}

function isNamed(
  names: string[],
  { endpoint: { id, providerSlug }, own }: Target,
  providerName: RoutingFacts['providerName'],
): boolean {
  return (
    names.includes(providerSlug) ||
    names.includes(providerName(providerSlug).toLowerCase()) ||
    names.includes(id.toLowerCase()) ||
    (own?.tier === 'private' && names.includes('private'))
  );
}

/** Sorts by tier, the caller's order, the preferred latency and throughput, the sort, and the catalog's order. */
function sortTargets(targets: Target[], facts: RoutingFacts): Target[] {
  if (targets.length < 2) return targets;
  const ranked = targets.map((target, index) => ({ target, rank: rankOf(target, facts), index }));
  ranked.sort((a, b) => {
    for (const [i, left] of a.rank.entries()) {
      const right = b.rank[i]!;
      if (left !== right) return left < right ? -1 : 1;
    }
    return a.index - b.index;
  });
  return ranked.map(({ target }) => target);
}

/** The order of tiers: own endpoints and keys serve before shared endpoints, fallback keys after them. */
const TIERS = { private: 0, credential: 1, shared: 2, fallback: 3 } as const;

function rankOf(target: Target, facts: RoutingFacts): (number | bigint)[] {
  const { preferences: p, health, providerName } = facts;
  const { endpoint, own, model } = target;
  const sort = p.modelSorts?.get(model.id) ?? p.sort;
  const place = p.order.findIndex((name) => isNamed([name], target, providerName));
  const state = health(circuitOf(target));
  const price = facts.costAt?.(target) ?? priceRank(endpoint.pricing);
  return [
    TIERS[own?.tier ?? 'shared'],
    place === -1 ? p.order.length : place,
    meetsPreferences(state, p) ? 0 : 1,
    sortValue(sort, price, state, facts.triesUnmeasured === true),
    ...(sort === null || sort === 'exacto' ? [own?.sortOrder ?? 0, endpoint.priority] : [0, 0]),
    price,
    own?.sortOrder ?? 0,
  ];
}

function sortValue(
  sort: ProviderSort | null,
  price: bigint,
  state: EndpointHealth | undefined,
  triesUnmeasured: boolean,
): number | bigint {
  const unmeasured = triesUnmeasured ? -Infinity : Infinity;
  switch (sort) {
    case 'price':
      return price;
    case 'throughput':
      return state?.throughput ? -(state.throughput.p50 ?? 0) : unmeasured;
    case 'latency':
      return state?.latencySeconds?.p50 ?? unmeasured;
    // `exacto` sorts by the quality of answers. The gateway does not measure it, so the operator's order applies.
    case 'exacto':
    case null:
      return 0;
  }
}

/** Returns whether an endpoint meets the preferred latency and throughput. Unknown values count as met. */
function meetsPreferences(state: EndpointHealth | undefined, p: RoutingPreferences): boolean {
  return (
    holds(
      p.minThroughput,
      () => state?.throughput,
      (measured, wanted) => measured >= wanted,
    ) &&
    holds(
      p.maxLatency,
      () => state?.latencySeconds,
      (measured, wanted) => measured <= wanted,
    )
  );
}

const PERCENTILES = ['p50', 'p75', 'p90', 'p99'] as const;

/** Measures only what is preferred, because percentiles of an endpoint are computed when they are read. */
function holds(
  wanted: Percentiles,
  measure: () => Percentiles | null | undefined,
  fits: (measured: number, wanted: number) => boolean,
): boolean {
  const names = PERCENTILES.filter((name) => wanted[name] !== undefined);
  const measured = names.length === 0 ? undefined : measure();
  if (measured === null || measured === undefined) return true;
  return names.every((name) => {
    const [have, want] = [measured[name], wanted[name]];
    return have === undefined || want === undefined || fits(have, want);
  });
}
