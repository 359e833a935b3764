/** Serves models, endpoints and providers from a copy of the catalog in memory. */
import type { CatalogRows, CatalogStore, ModelRow, ProviderRow } from '../../db/catalog/catalog-store.ts';
import type {
  LiveCapability,
  LiveEndpoint,
  LiveModel,
  VideoEndpoint,
  VideoModel,
} from '../../domain/catalog/catalog.ts';
import {
  type ListedEndpoint,
  type ListedModel,
  listLiveEndpoint,
  listModel,
  listVideoEndpoint,
} from '../../domain/catalog/listed-model.ts';
import { byAge } from '../../domain/catalog/model-order.ts';
import { type Sunset, sunsetOf } from '../../domain/catalog/sunset.ts';
import { type ModelIds, type ModelNames, nameModels, namesWithin } from './model-names.ts';

/** A model of the catalog with all of its enabled live endpoints, including those that this deployment cannot call. */
export type KnownModel = ModelRow & { endpoints: LiveEndpoint[]; sunset?: Sunset | undefined };

export interface CatalogOptions {
  store: Pick<CatalogStore, 'load'>;
  /** Returns whether this deployment can call the provider. `provider` is its row, if the catalog has one. */
  isRoutable(providerSlug: string, provider: ProviderRow | undefined): boolean;
}

/** Keeps the whole catalog in memory; no request reads it from the database. */
export async function createCatalog(options: CatalogOptions) {
  let view = buildView(await options.store.load(), options.isRoutable);
  return {
    /**
     * Returns a video model by any of its names; undefined when it is unknown or has no reachable endpoint.
     */
    findVideoModel: (name: string): VideoModel | undefined => view.video.find(name),
    /** Returns any video model of the catalog by any of its names, also an unreachable one. */
    findKnownVideoModel: (name: string): VideoModel | undefined => view.knownVideo.find(name),
    findEndpoint: (id: string): VideoEndpoint | undefined => view.endpoints.get(id),
    /** Returns the routable video models in order of id. */
    videoModels: (): VideoModel[] => view.video.list,
    /**
     * Returns a model by any of its names; undefined when it is unknown or has no reachable endpoint with the
     * capability. A variant such as `author/model:free` is a model of its own.
     */
    findLiveModel: (name: string, capability: LiveCapability): LiveModel | undefined =>
      view.live[capability].find(name),
    /** Returns any model of the catalog by any of its names, also an unreachable one. */
    findKnownModel: (name: string): KnownModel | undefined => view.known.find(name),
    /** Returns all models in order of id. */
    knownModels: (): KnownModel[] => view.known.list,
    /** Returns the routable models with the capability in order of id. */
    liveModels: (capability: LiveCapability): LiveModel[] => view.live[capability].list,
    /**
     * Returns the routable models of any kind, the newest first, with the prices of today. The list is one object until
     * the catalog is read again, or the day ends.
     */
    listedModels: (): readonly ListedModel[] => view.listed().list,
    /** Returns a routable model of any kind, by a name as for `findLiveModel`. */
    findListedModel: (name: string): ListedModel | undefined => view.listed().find(name),
    providers: (): ProviderRow[] => view.providers,
    /** Returns the provider's display name, or the slug when the provider is not in the catalog. */
    providerName: (slug: string): string => view.providerNames.get(slug) ?? slug,
    hasProvider: (slug: string): boolean => view.providerNames.has(slug),
    /** Reads the rows again. Until it succeeds, the previous catalog stays in use. */
    reload: inTurn(async () => {
      view = buildView(await options.store.load(), options.isRoutable);
    }),
  };
}

export type Catalog = Awaited<ReturnType<typeof createCatalog>>;

/**
 * Runs the work one call after the other, so that the newest reading wins. Calls share a run that has not started
 * yet.
 */
function inTurn(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | undefined;
  return () => {
    waiting ??= running
      .catch(() => {
        // The callers of that run receive its error.
      })
      .then(() => {
        waiting = undefined;
        running = work();
        return running;
      });
    return waiting;
  };
}

interface Models<M> {
  find: ModelNames<M>;
  list: M[];
}

interface View {
  video: Models<VideoModel>;
  live: Record<LiveCapability, Models<LiveModel>>;
  known: Models<KnownModel>;
  knownVideo: Models<VideoModel>;
  listed: () => Models<ListedModel>;
  endpoints: Map<string, VideoEndpoint>;
  providers: ProviderRow[];
  providerNames: Map<string, string>;
}

function buildView(rows: CatalogRows, isRoutable: CatalogOptions['isRoutable']): View {
  const providers = new Map(rows.providers.map((provider) => [provider.slug, provider]));
  const isReachable = ({ providerSlug }: { providerSlug: string }): boolean =>
    isRoutable(providerSlug, providers.get(providerSlug));
  const idOf = nameModels(rows, isReachable);
  const models = rows.models.map(withSunset);
  const liveEndpoints = rows.liveEndpoints.filter(isReachable);
  const videoEndpoints = rows.endpoints.filter(isReachable);
  const live = Map.groupBy(liveEndpoints, ({ capability }) => capability);
  const modelsFor = (capability: LiveCapability) => withEndpoints(models, live.get(capability) ?? [], idOf);
  return {
    video: withEndpoints(models, videoEndpoints, idOf),
    live: {
      chat: modelsFor('chat'),
      embeddings: modelsFor('embeddings'),
      rerank: modelsFor('rerank'),
      image: modelsFor('image'),
      speech: modelsFor('speech'),
    },
    known: known({ ...rows, models }, idOf),
    knownVideo: withEndpoints(models, rows.endpoints, idOf),
    listed: oncePerDay((nowMs) =>
      listed(
        rows.models,
        [
          ...liveEndpoints.map((endpoint) => listLiveEndpoint(endpoint, nowMs)),
          ...videoEndpoints.map(listVideoEndpoint),
        ],
        idOf,
      ),
    ),
    // Unreachable endpoints stay known, because jobs that run on them must still end.
    endpoints: new Map(
      [...rows.retiredEndpoints, ...rows.endpoints].map((endpoint) => [endpoint.id, endpoint]),
    ),
    providers: rows.providers,
    providerNames: new Map(rows.providers.map(({ slug, name }) => [slug, name])),
  };
}

const DAY_MS = 86_400_000;

/** Returns a function that makes the value again on each day of UTC, because prices change on days. */
function oncePerDay<T>(make: (nowMs: number) => T): () => T {
  let made: { day: number; value: T } | undefined;
  return () => {
    const nowMs = Date.now();
    const day = Math.floor(nowMs / DAY_MS);
    if (made?.day !== day) made = { day, value: make(nowMs) };
    return made.value;
  };
}

/** Adds the sunset once, so that requests need not compute it. Most models have none. */
function withSunset(model: ModelRow): ModelRow & { sunset?: Sunset | undefined } {
  const sunset = sunsetOf(model.expirationDate);
  return sunset === undefined ? model : { ...model, sunset };
}

/** Returns the models that any of the endpoints serves, in the order of both lists. */
function withEndpoints<M extends ModelRow, E extends { modelId: string }>(
  models: M[],
  endpoints: E[],
  idOf: ModelIds,
): Models<M & { endpoints: [E, ...E[]] }> {
  const byModel = Map.groupBy(endpoints, ({ modelId }) => modelId);
  const list = models.flatMap((model) => {
    const [first, ...others] = byModel.get(model.id) ?? [];
    return first === undefined ? [] : [{ ...model, endpoints: [first, ...others] satisfies [E, ...E[]] }];
  });
  return { find: namesWithin(list, idOf), list };
}

function known({ models, liveEndpoints }: CatalogRows, idOf: ModelIds): Models<KnownModel> {
  const byModel = Map.groupBy(liveEndpoints, ({ modelId }) => modelId);
  const list = models.map((model) => ({ ...model, endpoints: byModel.get(model.id) ?? [] }));
  return { find: namesWithin(list, idOf), list };
}

function listed(models: ModelRow[], endpoints: ListedEndpoint[], idOf: ModelIds): Models<ListedModel> {
  const served = withEndpoints(models, endpoints, idOf).list;
  const list = served.map((model) => listModel(model, model.endpoints)).toSorted(byAge);
  return { find: namesWithin(list, idOf), list };
}
