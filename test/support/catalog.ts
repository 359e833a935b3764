import { type CatalogStore, createCatalogStore, type ModelRow } from '../../db/catalog/catalog-store.ts';
import type { LiveEndpoint, VideoCapabilities, VideoEndpoint } from '../../domain/catalog/catalog.ts';
import { createDatabase } from './open-database.ts';
import { eventually } from './eventually.ts';
import type { Gateway } from './gateway.ts';
import { makeModel, makeProvider } from './make-model.ts';

export interface EndpointFacts {
  /** Unknown providers are made: on the gateway's upstream, unless `baseUrl` says otherwise. */
  provider: string;
  adapter?: string;
  baseUrl?: string;
  maxRunSeconds?: number;
}

interface VideoEndpointFacts extends EndpointFacts {
  /** Tells endpoints of one provider apart; that of `local/clip-canned` when absent. */
  upstreamModelId?: string;
  /** In place of what `local/clip-canned` can do. */
  capabilities?: Partial<VideoCapabilities>;
  pricingSkus?: VideoEndpoint['pricingSkus'];
  meters?: VideoEndpoint['meters'];
}

type LiveEndpointFacts = EndpointFacts & Partial<LiveEndpoint>;

/** A chat model like `local/echo-1`, served by these endpoints in this order; see `addVideoModel`. */
export async function addChatModel(
  gateway: Gateway,
  id: string,
  endpoints: LiveEndpointFacts[],
  facts: Partial<ModelRow> = {},
): Promise<void> {
  await writeLiveModel(gateway, id, 'local/echo-1', endpoints, facts);
  await answers(gateway, id, '/chat/completions', {
    messages: [{ role: 'user', content: 'Are you there?' }],
  });
}

/** The same for embeddings, like `local/embed-1`. */
export async function addEmbeddingsModel(
  gateway: Gateway,
  id: string,
  endpoints: LiveEndpointFacts[],
  facts: Partial<ModelRow> = {},
): Promise<void> {
  await writeLiveModel(gateway, id, 'local/embed-1', endpoints, facts);
  await answers(gateway, id, '/embeddings', { input: 'Are you there?' });
}

/** The same for rerank, like `local/rerank-1`, but for text only unless the facts say otherwise. */
export async function addRerankModel(
  gateway: Gateway,
  id: string,
  endpoints: LiveEndpointFacts[],
  facts: Partial<ModelRow> = {},
): Promise<void> {
  await writeLiveModel(gateway, id, 'local/rerank-1', endpoints, facts);
  await answers(gateway, id, '/rerank', { query: 'Are you there?', documents: ['Yes'] });
}

/** The same for speech, like `local/speech-1`. */
export async function addSpeechModel(
  gateway: Gateway,
  id: string,
  endpoints: LiveEndpointFacts[],
): Promise<void> {
  await writeLiveModel(gateway, id, 'local/speech-1', endpoints);
  await answers(gateway, id, '/audio/speech', { input: 'Hm?' });
}

/** The same for images, like `local/image-1`. */
export async function addImageModel(
  gateway: Gateway,
  id: string,
  endpoints: LiveEndpointFacts[],
): Promise<void> {
  await writeLiveModel(gateway, id, 'local/image-1', endpoints);
  await answers(gateway, id, '/images', { prompt: 'Are you there?' });
}

/** A model like `like` that the operator cannot reach, because its provider wants a key. Nothing is waited for. */
export function addUnreachableModel(
  gateway: Gateway,
  id: string,
  like: string,
  endpoint: LiveEndpointFacts,
): Promise<void> {
  return writeLiveModel(gateway, id, like, [endpoint]);
}

async function writeLiveModel(
  gateway: Gateway,
  id: string,
  model: string,
  endpoints: LiveEndpointFacts[],
  facts: Partial<ModelRow> = {},
): Promise<void> {
  await inOneCommit(gateway, async (store) => {
    const like = (await store.load()).liveEndpoints.find(({ modelId }) => modelId === model)!;
    const output = like.capability === 'chat' ? 'text' : like.capability;
    await store.upsertModel({ ...modelRow(id, output), ...facts });
    for (const [priority, { provider: slug, adapter = slug, baseUrl, ...facts }] of endpoints.entries()) {
      const url = baseUrl ?? gateway.config.providers('local').baseUrl ?? null;
      if (slug !== 'local') await store.upsertProvider(makeProvider({ slug, adapter, baseUrl: url }));
      const named = { id: `${id}@${slug}`, modelId: id, providerSlug: slug, priority };
      await store.upsertEndpoint({ ...like, ...named, ...facts });
    }
  });
}

/**
 * Writes to the catalog so that the gateway sees all of it or nothing: a model never has some of its endpoints only.
 */
async function inOneCommit(gateway: Gateway, write: (store: CatalogStore) => Promise<void>): Promise<void> {
  const database = createDatabase({ url: gateway.config.database.url, poolMax: 1 });
  try {
    await database.knex.transaction((transaction) => write(createCatalogStore(transaction)));
  } finally {
    await database.close();
  }
}

async function answers(gateway: Gateway, model: string, path: string, body: object): Promise<void> {
  await eventually(`model ${model}`, async () => {
    const response = await gateway.call('POST', path, { body: { model, ...body } });
    // What is not read holds its connection.
    await response.arrayBuffer();
    return response.status === 200 ? true : undefined;
  });
}

/**
 * A model like `local/clip-canned`, served by these endpoints in this order. Providers other than `local`
 * need their credential: `PROVIDER_<SLUG>_API_KEY` in the gateway's environment.
 */
export async function addVideoModel(
  gateway: Gateway,
  id: string,
  endpoints: VideoEndpointFacts[],
): Promise<void> {
  await writeVideoModel(gateway, id, endpoints);
  await eventually(`model ${id}`, async () => {
    const answer = await gateway.call('GET', '/videos/models');
    return (await answer.text()).includes(`"${id}"`) ? true : undefined;
  });
}

/** A model like `local/clip-canned` that the operator cannot reach; see `addUnreachableModel`. */
export function addUnreachableVideoModel(
  gateway: Gateway,
  id: string,
  endpoint: VideoEndpointFacts,
): Promise<void> {
  return writeVideoModel(gateway, id, [endpoint]);
}

async function writeVideoModel(gateway: Gateway, id: string, endpoints: VideoEndpointFacts[]): Promise<void> {
  await inOneCommit(gateway, async (store) => {
    const like = (await store.load()).endpoints.find(({ modelId }) => modelId === 'local/clip-canned')!;
    await store.upsertModel(modelRow(id, 'video'));
    for (const [priority, endpoint] of endpoints.entries()) {
      const {
        provider: slug,
        adapter = slug,
        maxRunSeconds = like.maxRunSeconds,
        upstreamModelId,
        capabilities,
        pricingSkus = like.pricingSkus,
        meters,
      } = endpoint;
      const baseUrl = endpoint.baseUrl ?? gateway.config.providers('local').baseUrl ?? null;
      if (slug !== 'local') await store.upsertProvider(makeProvider({ slug, adapter, baseUrl }));
      await store.upsertEndpoint({
        ...like,
        id: upstreamModelId === undefined ? `${id}@${slug}` : `${id}@${slug}/${upstreamModelId}`,
        modelId: id,
        providerSlug: slug,
        upstreamModelId: upstreamModelId ?? like.upstreamModelId,
        maxRunSeconds,
        priority,
        pricingSkus,
        meters,
        capabilities: { ...like.capabilities, ...capabilities },
      });
    }
  });
}

function modelRow(id: string, output: string): ModelRow {
  return makeModel({ id, name: `Test: ${id}`, outputModalities: [output], createdAt: new Date() });
}
