/** Works out which rows of the catalog a price source or a catalog file would change. */
import type { SourcedCatalog } from '../../../db/catalog/catalog-store.ts';
import type { LiveEndpoint } from '../../../domain/catalog/catalog.ts';
import type { CatalogModel } from '../../../domain/catalog/model-facts.ts';
import type { CatalogFile } from '../../../providers/catalog-file.ts';
import { type CatalogChange, changesOf, missingOf } from '../catalog-changes.ts';
import type { PriceSource } from '../price-sources/read-price-source.ts';
import { indexModels } from '../price-sources/source-model.ts';
import { mergeSourcePrices } from './merge-source-prices.ts';
import { priceChanges } from './price-changes.ts';

export interface CatalogOffer {
  /** The rows to write, without those that an operator imported. */
  file: CatalogFile;
  /** The endpoints that the source knows, changed or not. */
  known: string[];
  /** The endpoints that the source lacks although it has their vendor. */
  gone: string[];
  /** The vendors that the source has. */
  vendors: string[];
  /** The endpoints that stay because the source has their prices in a form that a catalog cannot hold. */
  unread: string[];
  /** True: endpoints that are gone are switched off. A price source only lists prices, so none is. */
  retires: boolean;
  /** The number of imported endpoints, which stay as they are. */
  own: number;
}

/** Matches prices of LiteLLM that replace those of a model under conditions that could not be read. */
const OTHER_FORMS = /_pricing$/;

/** Returns the rows whose prices or dates of retirement differ from the source. */
export function offerOfSource({ name, models }: PriceSource, present: SourcedCatalog): CatalogOffer {
  const find = indexModels(models);
  const vendors = new Set(models.map(({ provider }) => provider));
  const liveEndpoints: LiveEndpoint[] = [];
  const [known, gone, unread]: [string[], string[], string[]] = [[], [], []];
  const dates = new Map<string, (string | undefined)[]>();
  let own = 0;
  for (const { endpoint, enabled, source } of present.endpoints) {
    if (!enabled || !('pricing' in endpoint) || !vendors.has(endpoint.providerSlug)) continue;
    if (isImported(source, endpoint.providerSlug, present)) {
      own += 1;
      continue;
    }
    const model = find(endpoint.providerSlug, endpoint.upstreamModelId);
    if (model === undefined) gone.push(endpoint.id);
    else if (model.unread.some((price) => OTHER_FORMS.test(price))) unread.push(endpoint.id);
    else {
      known.push(endpoint.id);
      dates.set(endpoint.modelId, [...(dates.get(endpoint.modelId) ?? []), model.expirationDate]);
      const updated = { ...endpoint, pricing: mergeSourcePrices(endpoint.pricing, model.pricing, name) };
      if (priceChanges(endpoint, updated).length > 0) liveEndpoints.push(updated);
    }
  }
  const retiring = present.models.flatMap(({ model, source }): CatalogModel[] => {
    const expirationDate = lastDayOf(dates.get(model.id) ?? []) ?? model.expirationDate;
    if (source === 'imported' || expirationDate === model.expirationDate) return [];
    return [{ ...model, expirationDate }];
  });
  const file = { providers: [], models: retiring, endpoints: [], liveEndpoints };
  return { file, known, gone, vendors: [...vendors], unread, retires: false, own };
}

/** Returns the day on which the last endpoint of a model is retired; undefined while one stays. */
export function lastDayOf(dates: readonly (string | undefined)[]): string | undefined {
  const known = dates.filter((date) => date !== undefined);
  return known.length < dates.length ? undefined : known.toSorted().at(-1);
}

/** Returns the rows of the file that an operator did not import. */
export function offerOfFile(file: CatalogFile, present: SourcedCatalog): CatalogOffer {
  const sources = new Map<string, string>([
    ...present.providers.map(({ provider, source }) => [`provider ${provider.slug}`, source] as const),
    ...present.models.map(({ model, source }) => [`model ${model.id}`, source] as const),
    ...present.endpoints.map(({ endpoint, source }) => [`endpoint ${endpoint.id}`, source] as const),
  ]);
  const isFree = (kind: string, id: string): boolean => sources.get(`${kind} ${id}`) !== 'imported';
  const isOpen = <E extends { id: string; providerSlug: string }>({ id, providerSlug }: E): boolean =>
    isFree('endpoint', id) && isFree('provider', providerSlug);
  const offered: CatalogFile = {
    providers: file.providers.filter(({ slug }) => isFree('provider', slug)),
    models: file.models.filter(({ id }) => isFree('model', id)),
    endpoints: file.endpoints.filter(isOpen),
    liveEndpoints: file.liveEndpoints.filter(isOpen),
  };
  const all = [...file.endpoints, ...file.liveEndpoints];
  const kept = [...offered.endpoints, ...offered.liveEndpoints].map(({ id }) => id);
  const gone = missingOf(offered, present).filter(
    (id) => isFree('endpoint', id) && !all.some((row) => row.id === id),
  );
  return {
    file: onlyChanged(offered, present),
    known: kept,
    gone,
    vendors: [...new Set(file.providers.map(({ slug }) => slug))],
    unread: [],
    retires: true,
    own: all.length - kept.length,
  };
}

function isImported(source: string, providerSlug: string, { providers }: SourcedCatalog): boolean {
  if (source === 'imported') return true;
  return providers.some((row) => row.provider.slug === providerSlug && row.source === 'imported');
}

/** Leaves out the rows that the catalog has already. */
function onlyChanged(file: CatalogFile, present: SourcedCatalog): CatalogFile {
  const changed = new Set(changesOf(file, present).map(({ kind, id }: CatalogChange) => `${kind} ${id}`));
  return {
    providers: file.providers.filter(({ slug }) => changed.has(`provider ${slug}`)),
    models: file.models.filter(({ id }) => changed.has(`model ${id}`)),
    endpoints: file.endpoints.filter(({ id }) => changed.has(`endpoint ${id}`)),
    liveEndpoints: file.liveEndpoints.filter(({ id }) => changed.has(`endpoint ${id}`)),
  };
}
