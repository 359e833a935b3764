import type { Region } from './catalog.ts';
import type { ContentCategory } from './content-class.ts';
import type { ListedEndpoint, ListedModel } from './listed-model.ts';
import { type CatalogModel, familyOf, type ModelBenchmarks } from './model-facts.ts';
import { parsePrice } from './token-price.ts';

/** Both ends belong to it. */
export interface NumberRange {
  min?: number | undefined;
  max?: number | undefined;
}

/** What a list of models is narrowed by; what is absent excludes nothing. Names are lower case. */
export interface ModelFilter {
  category?: ContentCategory | undefined;
  /** All of them, at one endpoint; that is also in the region, of one of the providers, and the like. */
  supportedParameters?: string[] | undefined;
  /** All of them. */
  inputModalities?: string[] | undefined;
  /** Any of them. */
  outputModalities?: string[] | undefined;
  /** Every word of it in the name or one of the slugs. */
  text?: string | undefined;
  minContext?: number | undefined;
  /** Dollars per million tokens, of the endpoint that is preferred. */
  promptPrice?: NumberRange;
  completionPrice?: NumberRange;
  family?: string | undefined;
  /** Any of them. */
  authors?: string[] | undefined;
  /** Any of them, by slug or name. */
  providers?: string[] | undefined;
  /** False: at no endpoint. */
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
/** Prices are kept in 10⁻¹⁸ dollars. */
const ATTOS_TO_MILLION_TOKENS = 1e12;

/** Whether a model is of the list. A model of which a measure is unknown is in no range of it. */
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

/** By one endpoint that is all of what is asked: a request that asks for the same of one finds it. */
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
