/** Weights the models of the catalog by popularity, for synthetic generations. */
import type { CatalogRows } from '../../db/catalog/catalog-store.ts';
import { LIVE_CAPABILITIES, type LiveEndpoint, type VideoEndpoint } from '../../domain/catalog/catalog.ts';
import { StackError } from '../stack-error.ts';
import { createRandom, createZipf, type Random, shuffled } from './random.ts';

/** The model and endpoint of a generation. */
export interface ChosenEndpoint<Endpoint> {
  /** Canonical slug. */
  model: string;
  endpoint: Endpoint;
  providerName: string;
  /** The typical latency of the model. */
  latencyMs: number;
  tokensPerSecond: number;
  reasons: boolean;
}

export type ChooseEndpoint<Endpoint> = (random: Random) => ChosenEndpoint<Endpoint>;

export interface WeightedCatalog {
  /** The live kinds that a model of the catalog supports. */
  live: { kind: (typeof LIVE_CAPABILITIES)[number]; share: number; pick: ChooseEndpoint<LiveEndpoint> }[];
  video: { share: number; pick: ChooseEndpoint<VideoEndpoint> } | undefined;
}

const SHARES = { chat: 0.945, embeddings: 0.03, rerank: 0.008, image: 0.008, speech: 0.007 } as const;
const VIDEO_SHARE = 0.002;
const EXPONENT = 1.1;

/** Returns the catalog's models with popularities by Zipf's law. The seed determines their order. */
export function createWeightedCatalog(catalog: CatalogRows, seed: number): WeightedCatalog {
  const random = createRandom(`offer ${seed}`);
  const slugs = new Map(catalog.models.map(({ id, canonicalSlug }) => [id, canonicalSlug]));
  const names = new Map(catalog.providers.map(({ slug, name }) => [slug, name]));
  const createChooser = <E extends LiveEndpoint | VideoEndpoint>(
    endpoints: E[],
  ): ChooseEndpoint<E> | undefined => {
    if (endpoints.length === 0) return undefined;
    const ranked = shuffled(endpoints, random).map((endpoint) => ({
      model: slugs.get(endpoint.modelId) ?? endpoint.modelId,
      endpoint,
      providerName: names.get(endpoint.providerSlug) ?? endpoint.providerSlug,
      latencyMs: random.logNormal(550, 0.5),
      tokensPerSecond: random.logNormal(70, 0.5),
      reasons: random.chance(0.3),
    }));
    return createZipf(ranked, EXPONENT);
  };
  const live = LIVE_CAPABILITIES.flatMap((kind) => {
    const pick = createChooser(catalog.liveEndpoints.filter(({ capability }) => capability === kind));
    return pick === undefined ? [] : [{ kind, share: SHARES[kind], pick }];
  });
  if (live.length === 0) throw new StackError('The catalog is empty. First: npm run migrate');
  const video = createChooser(catalog.endpoints);
  return { live, video: video && { share: VIDEO_SHARE, pick: video } };
}
