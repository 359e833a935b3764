import { createCatalogStore } from '../../db/catalog-store.ts';
import { createDatabase } from '../../db/connection.ts';
import { eventually } from './eventually.ts';
import type { Gateway } from './gateway.ts';
import { makeModel } from './make-model.ts';
import { askResponse } from './responses.ts';

/** A chat model like `local/echo-1`, served by providers of the bundled catalogs, in this order. */
export async function addNativeModel(gateway: Gateway, id: string, providers: string[]): Promise<void> {
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
