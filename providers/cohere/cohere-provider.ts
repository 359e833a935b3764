import type { Provider } from '../provider.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { createTextHttp } from '../text-http.ts';
import { createEmbedAdapter } from './embeddings.ts';
import { createRerankAdapter } from './rerank.ts';

/**
 * Creates the provider for Cohere: rerank and embeddings, on version 2 of its API.
 *
 * `catalog.json` is written by `npm run catalog` (docs/catalog.md). Rerank 5 is charged by the token, earlier models by
 * the search. The vendor may train on requests unless its customer objects, so the endpoints count as collecting data.
 */
export function createCohereProvider(settings: ProviderSettings): Provider {
  const { slug } = settings;
  const http = createTextHttp(settings);
  return {
    slug,
    takesUrls: true,
    rerank: createRerankAdapter({ http }),
    embeddings: createEmbedAdapter(http, settings.outbound),
  };
}
