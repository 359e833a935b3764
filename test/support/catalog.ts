import { createCatalogStore } from '../../db/catalog-store.ts';
import { createDatabase } from '../../db/connection.ts';
import { eventually } from './eventually.ts';
import type { Gateway } from './gateway.ts';

export interface EndpointFacts {
  /** Unknown providers are made: on the gateway's upstream, unless `baseUrl` says otherwise. */
  provider: string;
  adapter?: string;
  baseUrl?: string;
  maxRunSeconds?: number;
}

/**
 * A model like `local/clip-canned`, served by these endpoints in this order. Providers other than `local`
 * need their credential: `PROVIDER_<SLUG>_API_KEY` in the gateway's environment.
 */
export async function addVideoModel(gateway: Gateway, id: string, endpoints: EndpointFacts[]): Promise<void> {
  const database = createDatabase({ url: gateway.config.database.url, poolMax: 1 });
  try {
    const store = createCatalogStore(database.knex);
    const like = (await store.load()).endpoints.find(({ modelId }) => modelId === 'local/clip-canned')!;
    const name = `Test: ${id}`;
    const model = {
      id,
      canonicalSlug: id,
      name,
      description: null,
      huggingFaceId: null,
      createdAt: new Date(),
    };
    await store.upsertModel(model);
    for (const [priority, endpoint] of endpoints.entries()) {
      const { provider: slug, adapter = slug, maxRunSeconds = like.maxRunSeconds } = endpoint;
      const baseUrl = endpoint.baseUrl ?? gateway.config.providers('local').baseUrl ?? null;
      if (slug !== 'local') await store.upsertProvider({ slug, name: slug, adapter, baseUrl });
      await store.upsertVideoEndpoint({
        ...like,
        id: `${id}@${slug}`,
        modelId: id,
        providerSlug: slug,
        maxRunSeconds,
        priority,
      });
    }
  } finally {
    await database.close();
  }
  await eventually(`model ${id}`, async () => {
    const answer = await gateway.call('GET', '/videos/models');
    return (await answer.text()).includes(`"${id}"`) ? true : undefined;
  });
}
