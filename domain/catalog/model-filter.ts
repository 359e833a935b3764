/** Decides whether a model passes the filters of `GET /models`. */
import type { Region } from './catalog.ts';
import type { ContentCategory } from './content-class.ts';
import type { ListedEndpoint, ListedModel } from './listed-model.ts';
import { type CatalogModel, familyOf, type ModelBenchmarks } from './model-facts.ts';
import { parsePrice } from './token-price.ts';

/** A range that includes both ends. */
export interface NumberRange {
  min?: number | undefined;
  max?: number | undefined;
}

/** The filters of a list of models. An absent filter excludes nothing. Names are lower case. */
export interface ModelFilter {
  category?: ContentCategory | undefined;
  /** One endpoint must support all of them, and match the filters for region and provider as well. */
  supportedParameters?: string[] | undefined;
  /** The model must take all of them. */
  inputModalities?: string[] | undefined;
  /** The model must have one of them. */
  outputModalities?: string[] | undefined;
  /** Every word must occur in the name or in one of the slugs. */
  text?: string | undefined;
  minContext?: number | undefined;
  /** Dollars per million tokens, at the preferred endpoint. */
  promptPrice?: NumberRange;
  completionPrice?: NumberRange;
  family?: string | undefined;
  /** The model must be by one of them. */
  authors?: string[] | undefined;
  /** Slugs or names; one must serve the model. */
  providers?: string[] | undefined;
  /** False: no endpoint is distillable. */
  distillable?: boolean | undefined;
  zdr?: true | undefined;
  region?: Exclude<Region, 'global'> | undefined;
  ageDays?: NumberRange;
  intelligenceIndex?: NumberRange;
  codingIndex?: NumberRange;
  agenticIndex?: NumberRange;
  toolSuccessRate?: NumberRange;
}

export interface FilterFacts {
  providerName(slug: string): string;
  nowMs: number;
}

const DAY_MS = 86_400_000;
/** Converts prices in 10⁻¹⁸ dollars to dollars per million tokens. */
const ATTOS_TO_MILLION_TOKENS = 1e12;

/** Returns whether a model passes the filters. A model with an unknown measure is in no range of it. */
export function matchesFilter(model: ListedModel, filter: ModelFilter, facts: FilterFacts): boolean {
  return (
    isDescribed(model, filter) &&
    isServed(model, filter, facts) &&
    isPriced(model, filter) &&
    isMeasured(model.benchmarks, filter) &&
    isWithin((facts.nowMs - model.createdAt.getTime()) / DAY_MS, filter.ageDays)
  );
}

function isDescribed(model: ListedModel, filter: ModelFilter): boolean {
  const { category, inputModalities, outputModalities, text, minContext, family, authors } = filter;
  if (category !== undefined && !model.categories.includes(category)) return false;
  if (inputModalities?.some((name) => !model.inputModalities.includes(name))) return false;
  if (outputModalities?.every((name) => !model.outputModalities.includes(name))) return false;
  if (minContext !== undefined && (model.contextLength ?? 0) < minContext) return false;
  if (family !== undefined && familyOf(model).toLowerCase() !== family) return false;
  if (authors !== undefined && !authors.includes(authorOf(model))) return false;
  return text === undefined || hasWords(model, text);
}

function authorOf({ id }: CatalogModel): string {
  return id.slice(0, id.indexOf('/')).toLowerCase();
}

function hasWords({ id, canonicalSlug, name, aliases }: CatalogModel, text: string): boolean {
  const names = [name, id, canonicalSlug, ...aliases].join('\n').toLowerCase();
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .every((word) => names.includes(word));
}

/** Returns whether a single endpoint matches all filters, since a request is served by a single endpoint. */
function isServed({ endpoints }: ListedModel, filter: ModelFilter, facts: FilterFacts): boolean {
  if (filter.distillable === false && endpoints.some(({ distillable }) => distillable)) return false;
  return endpoints.some((endpoint) => isServing(endpoint, filter, facts));
}

function isServing(endpoint: ListedEndpoint, filter: ModelFilter, { providerName }: FilterFacts): boolean {
  const { supportedParameters, providers, distillable, zdr, region } = filter;
  if (supportedParameters?.some((name) => !endpoint.supportedParameters.includes(name))) return false;
  if (distillable === true && !endpoint.distillable) return false;
  if (zdr === true && !endpoint.zdr) return false;
  if (region !== undefined && endpoint.region !== region) return false;
  const { providerSlug: slug } = endpoint;
  const names = [slug, providerName(slug).toLowerCase()];
  return providers === undefined || names.some((name) => providers.includes(name));
}

function isPriced({ endpoints: [{ pricing }] }: ListedModel, filter: ModelFilter): boolean {
  const perMillion = (price: string) => Number(parsePrice(price)) / ATTOS_TO_MILLION_TOKENS;
  return (
    isWithin(perMillion(pricing.prompt), filter.promptPrice) &&
    isWithin(perMillion(pricing.completion), filter.completionPrice)
  );
}

function isMeasured(benchmarks: ModelBenchmarks | null, filter: ModelFilter): boolean {
  return (
    isWithin(benchmarks?.intelligenceIndex ?? null, filter.intelligenceIndex) &&
    isWithin(benchmarks?.codingIndex ?? null, filter.codingIndex) &&
    isWithin(benchmarks?.agenticIndex ?? null, filter.agenticIndex) &&
    isWithin(benchmarks?.toolSuccessRate ?? null, filter.toolSuccessRate)
  );
}

function isWithin(value: number | null, { min, max }: NumberRange = {}): boolean {
  if (min === undefined && max === undefined) return true;
  return value !== null && (min === undefined || value >= min) && (max === undefined || value <= max);
}
