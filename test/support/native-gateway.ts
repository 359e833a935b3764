import { createCatalogStore } from '../../db/catalog/catalog-store.ts';
import { createDatabase } from './open-database.ts';
import { eventually } from './eventually.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { makeModel } from './make-model.ts';
import { askResponse } from './responses.ts';
import { type ResponsesUpstream, startResponsesUpstream } from './responses-upstream.ts';

/** A gateway whose provider `openai` is an upstream that speaks responses. */
export interface NativeGateway {
  gateway: Gateway;
  upstream: ResponsesUpstream;
  close(): Promise<void>;
}

/**
 * @param models Their names, and the providers of the bundled catalogs that serve them, in this order.
 * @param env Further settings of the gateway.
 */
export async function startNativeGateway(
  models: Record<string, string[]>,
  env: Record<string, string> = {},
): Promise<NativeGateway> {
  const upstream = await startResponsesUpstream();
  const gateway = await startGateway({
    env: { ...env, PROVIDER_OPENAI_API_KEY: 'secret', PROVIDER_OPENAI_BASE_URL: upstream.baseUrl },
  });
  for (const [id, providers] of Object.entries(models)) await addNativeModel(gateway, id, providers);
  return {
    gateway,
    upstream,
    async close() {
      await gateway.close();
      await upstream.close();
    },
  };
}

/** A chat model like `local/echo-1`. */
async function addNativeModel(gateway: Gateway, id: string, providers: string[]): Promise<void> {
  const database = createDatabase({ url: gateway.config.database.url, poolMax: 1 });
  try {
    const store = createCatalogStore(database.knex);
    const like = (await store.load()).liveEndpoints.find(({ modelId }) => modelId === 'local/echo-1')!;
    await store.upsertModel(makeModel({ id, name: `Test: ${id}` }));
    for (const [priority, providerSlug] of providers.entries()) {
      const named = { id: `${id}@${providerSlug}`, modelId: id, providerSlug, priority };
      await store.upsertEndpoint({ ...like, ...named });
    }
  } finally {
    await database.close();
  }
  await eventually(`model ${id}`, async () => {
    const response = await askResponse(gateway, { model: id });
    // What is not read holds its connection.
    await response.arrayBuffer();
    return response.status === 200 ? true : undefined;
  });
}
