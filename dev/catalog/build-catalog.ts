/** Builds a vendor's catalog file from the price sources and from what is written by hand. */
import { type PriceOverride, PRICE_NAMES, type TokenPrices } from '../../domain/catalog/token-pricing.ts';
import type { SourceModel, SourcePricing } from '../../services/catalog/price-sources/source-model.ts';
import { splitOverride } from '../../services/catalog/price-sources/split-override.ts';
import { lastDayOf } from '../../services/catalog/update/catalog-offer.ts';
import { mergePricing } from './merge-prices.ts';
import { EXTRACTS, type Extracts } from './read-extracts.ts';
import type { Vendor, VendorEndpoint, VendorModel, VendorVideoEndpoint } from './vendor.ts';

/** The model of an endpoint in the sources, and its merged prices. */
interface Sourced {
  models: SourceModel[];
  pricing: SourcePricing | undefined;
}

/** Returns the content of the catalog file. Throws an error that names what no source or correction explains. */
export function buildCatalog(vendors: Vendor[], extracts: Extracts): object {
  const problems: string[] = [];
  const parts = vendors.map((vendor) => buildPart(vendor, extracts, problems));
  if (problems.length > 0) throw new Error(`Prices are not explained:\n  ${problems.join('\n  ')}`);
  const liveEndpoints = parts.flatMap((part) => part.liveEndpoints);
  const retired = parts.flatMap((part) => part.retired);
  return {
    sources: EXTRACTS.map((extract) => {
      const { source, version, date, sha256 } = extracts[extract].facts;
      return { name: source, version, date, sha256 };
    }),
    providers: parts.map((part) => part.provider),
    models: parts
      .flatMap((part) => part.models)
      .map((model) => withLastDay(withLargestContext(model, liveEndpoints), retired)),
    endpoints: parts.flatMap((part) => part.endpoints),
    liveEndpoints,
  };
}

interface WithContext {
  contextLength?: number | null | undefined;
  [fact: string]: unknown;
}

/** Returns the model with the longest context that one of its endpoints has. */
function withLargestContext<Model extends WithContext & { id: string }>(
  model: Model,
  endpoints: (WithContext & { modelId: string })[],
): Model {
  const lengths = endpoints.flatMap(({ modelId, contextLength }) =>
    modelId === model.id && contextLength ? [contextLength] : [],
  );
  return lengths.length === 0
    ? model
    : { ...model, contextLength: Math.max(...lengths, model.contextLength ?? 0) };
}

/** The day on which an endpoint of a model is retired, if the sources name one. */
interface Retired {
  modelId: string;
  expirationDate: string | undefined;
}

/** Returns the model with the day on which the last of its endpoints is retired at any vendor. */
function withLastDay<Model extends { id: string }>(model: Model, retired: Retired[]): Model {
  const days = retired.filter(({ modelId }) => modelId === model.id).map((row) => row.expirationDate);
  const expirationDate = lastDayOf(days);
  return expirationDate === undefined ? model : { ...model, expirationDate };
}

/** Returns what one vendor adds to the file. */
function buildPart(vendor: Vendor, extracts: Extracts, problems: string[]) {
  const { name, provider } = vendor;
  const ofVendor = EXTRACTS.flatMap((extract) => extracts[extract].models).filter(
    (model) => model.provider === name,
  );
  const known = ofVendor.flatMap((model) => [model.id, ...model.names]);
  const sourced = new Map<VendorEndpoint, Sourced>(
    vendor.endpoints.map((endpoint) => [endpoint, findSources(name, endpoint, extracts, problems)]),
  );
  const endpoints = vendor.endpoints.map((endpoint) => {
    const { models, pricing } = sourced.get(endpoint) ?? { models: [], pricing: undefined };
    const prices = toPricing(pricing, endpoint);
    if (prices === undefined) problems.push(`${endpoint.modelId} at ${name}: no source has a price`);
    return toEndpoint(provider.slug, endpoint, models, prices);
  });
  return {
    provider,
    models: vendor.models.map((model) => toModel(model, vendor, sourced, known)),
    endpoints: (vendor.videoEndpoints ?? []).map((endpoint) => toVideoEndpoint(provider.slug, endpoint)),
    liveEndpoints: endpoints,
    retired: vendor.endpoints.flatMap((endpoint) => {
      const models = sourced.get(endpoint)?.models ?? [];
      const expirationDate = models.find((model) => model.expirationDate)?.expirationDate;
      return models.length === 0 ? [] : [{ modelId: endpoint.modelId, expirationDate }];
    }),
  };
}

function findSources(
  name: string,
  endpoint: VendorEndpoint,
  extracts: Extracts,
  problems: string[],
): Sourced {
  const models = EXTRACTS.flatMap((extract) => extracts[extract].find(name, endpoint.upstreamModelId) ?? []);
  const [first, second] = models;
  if (first === undefined || second === undefined) return { models, pricing: first?.pricing };
  const { pricing, differences } = mergePricing(first.pricing, second.pricing);
  problems.push(
    ...differences.map((text) => `${endpoint.modelId} at ${name}: the sources differ about ${text}`),
  );
  return { models, pricing };
}

/** Returns the prices in the order of their names. What has no tokens of an answer has none to pay for. */
function toPricing(pricing: SourcePricing | undefined, { capability }: VendorEndpoint): object | undefined {
  if (pricing === undefined) return undefined;
  const { overrides, ...base } = pricing;
  const prices: Partial<TokenPrices> = { ...(capability === 'chat' ? {} : FREE), ...base };
  if (prices.prompt === undefined || prices.completion === undefined) return undefined;
  return { ...inOrder(prices), overrides: overrides.length === 0 ? undefined : overrides.map(entryInOrder) };
}

const FREE = { prompt: '0', completion: '0' };

function inOrder(prices: Partial<TokenPrices>): Partial<TokenPrices> {
  return Object.fromEntries(
    PRICE_NAMES.flatMap((name) => (prices[name] === undefined ? [] : [[name, prices[name]]])),
  );
}

function entryInOrder(entry: PriceOverride): object {
  const { conditions, prices } = splitOverride(entry);
  return { ...conditions, ...inOrder(prices) };
}

function toModel(
  model: VendorModel,
  vendor: Vendor,
  sourced: Map<VendorEndpoint, Sourced>,
  known: string[],
): WithContext & { id: string } {
  const endpoints = vendor.endpoints.filter(({ modelId }) => modelId === model.id);
  const found = endpoints.flatMap((endpoint) => sourced.get(endpoint)?.models ?? []);
  const { id, createdAt, reasoning, aliases: own = [], ...facts } = model;
  const author = id.slice(0, id.indexOf('/') + 1);
  // A dated slug names the only snapshot that is meant; the vendor's other dated names are other snapshots.
  const snapshots = DATE_AT_END.test(model.canonicalSlug) ? [] : known;
  const vendorNames = endpoints.flatMap(({ upstreamModelId }) => namesOf(upstreamModelId, snapshots));
  const taken = new Set(vendor.models.flatMap((other) => [other.id, other.canonicalSlug]));
  const aliases = [...new Set([...own, ...vendorNames.map((name) => author + name)])];
  const free = aliases.filter((alias) => !taken.has(alias));
  return {
    id,
    ...facts,
    contextLength: model.contextLength ?? contextOf(found),
    // Also where undefined: it keeps the place of the day that the sources name.
    expirationDate: model.expirationDate,
    aliases: free.length === 0 ? undefined : free,
    reasoning,
    createdAt: `${createdAt}T00:00:00Z`,
  };
}

const DATE_AT_END = /-(\d{8}|\d{4}-\d{2}-\d{2})$/;

/** Returns the vendor's own names of a model: the one it is called by, without its date, and dated ones. */
function namesOf(upstreamModelId: string, known: string[]): string[] {
  const plain = upstreamModelId.replace(DATE_AT_END, '');
  const names = [upstreamModelId, plain, ...known.filter((name) => name.replace(DATE_AT_END, '') === plain)];
  // A colon would separate a variant of the model.
  return names.filter((name) => !/[/:]/.test(name));
}

function contextOf(found: SourceModel[]): number | undefined {
  return (
    found.find(({ contextLength }) => contextLength)?.contextLength ??
    found.find(({ maxPromptTokens }) => maxPromptTokens)?.maxPromptTokens
  );
}

function toEndpoint(
  slug: string,
  endpoint: VendorEndpoint,
  found: SourceModel[],
  pricing: object | undefined,
): WithContext & { modelId: string } {
  const { modelId, capability, upstreamModelId, supportedParameters, speech, image, ...facts } = endpoint;
  const contextLength = endpoint.contextLength ?? contextOf(found);
  const maxCompletionTokens =
    endpoint.maxCompletionTokens ??
    (capability === 'chat'
      ? found.find((model) => model.maxCompletionTokens)?.maxCompletionTokens
      : undefined);
  return {
    id: `${modelId}@${slug}`,
    modelId,
    providerSlug: slug,
    capability,
    upstreamModelId,
    pricing,
    ...facts,
    contextLength,
    maxCompletionTokens,
    supportedParameters,
    speech,
    image,
  };
}

function toVideoEndpoint(slug: string, { priced, ...endpoint }: VendorVideoEndpoint): object {
  const { modelId, upstreamModelId, ...facts } = endpoint;
  return {
    id: `${modelId}@${slug}`,
    modelId,
    providerSlug: slug,
    upstreamModelId,
    pricingSkus: priced.pricingSkus,
    ...facts,
  };
}
