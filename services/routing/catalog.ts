import type { CatalogRows, CatalogStore, ProviderRow } from '../../db/catalog-store.ts';
import type { VideoEndpoint, VideoModel } from '../../domain/catalog.ts';

export interface Catalog {
  /** By id or canonical slug; undefined when unknown or when no endpoint of it can be reached. */
  findVideoModel(name: string): VideoModel | undefined;
  findEndpoint(id: string): VideoEndpoint | undefined;
  /** Routable models, by id. */
  videoModels(): VideoModel[];
  providers(): ProviderRow[];
  /** Reads the rows again. Until it succeeds the present answers stand. */
  reload(): Promise<void>;
}

export interface CatalogOptions {
  store: Pick<CatalogStore, 'load'>;
  /** Whether this deployment holds what it takes to call the provider. */
  isRoutable(providerSlug: string): boolean;
}

/** The whole catalog in memory: no request reads it from the database. */
export async function createCatalog(options: CatalogOptions): Promise<Catalog> {
  let view = buildView(await options.store.load(), options.isRoutable);
  return {
    findVideoModel: (name) => view.models.get(name),
    findEndpoint: (id) => view.endpoints.get(id),
    videoModels: () => view.list,
    providers: () => view.providers,
    reload: inTurn(async () => {
      view = buildView(await options.store.load(), options.isRoutable);
    }),
  };
}

/**
 * The same work, never twice at once: what was read last is the newest. Whoever asks while a turn waits to
 * begin shares it.
 */
function inTurn(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | undefined;
  return () => {
    waiting ??= running
      .catch(() => {
        // Told to those who asked for that turn.
      })
      .then(() => {
        waiting = undefined;
        running = work();
        return running;
      });
    return waiting;
  };
}

interface View {
  models: Map<string, VideoModel>;
  endpoints: Map<string, VideoEndpoint>;
  list: VideoModel[];
  providers: ProviderRow[];
}

function buildView(rows: CatalogRows, isRoutable: (providerSlug: string) => boolean): View {
  const routable = rows.endpoints.filter((endpoint) => isRoutable(endpoint.providerSlug));
  const list = rows.models.flatMap((model): VideoModel[] => {
    const endpoints = routable.filter((endpoint) => endpoint.modelId === model.id);
    return endpoints.length === 0 ? [] : [{ ...model, endpoints }];
  });
  const models = new Map(
    list.flatMap((model) => [
      [model.canonicalSlug, model],
      [model.id, model],
    ]),
  );
  // Endpoints stay known when they cannot be reached any more: jobs that run on them must still end.
  const endpoints = new Map(rows.endpoints.map((endpoint) => [endpoint.id, endpoint]));
  return { models, endpoints, list, providers: rows.providers };
}
