/** Creates the providers for Jina and for Voyage, whose rerank and embeddings differ in the names of fields only. */
import { createRerankAdapter } from '../cohere/rerank.ts';
import { createEmbeddingsAdapter } from '../openai-compatible/embeddings.ts';
import type { Provider } from '../provider.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { createTextHttp } from '../text-http.ts';
import { toJina, toVoyage } from './embedding-requests.ts';

/** Creates the provider for Jina: rerank of texts and pictures, and embeddings. */
export function createJinaProvider(settings: ProviderSettings): Provider {
  const { slug, outbound } = settings;
  const http = createTextHttp(settings);
  return {
    slug,
    takesUrls: true,
    rerank: createRerankAdapter({ http, pictures: outbound }),
    embeddings: createEmbeddingsAdapter(http, toJina),
  };
}

/** Creates the provider for Voyage: rerank of texts, and embeddings. */
export function createVoyageProvider(settings: ProviderSettings): Provider {
  const { slug } = settings;
  const http = createTextHttp(settings);
  return {
    slug,
    takesUrls: true,
    rerank: createRerankAdapter({ http, names: { topN: 'top_k', results: 'data' } }),
    embeddings: createEmbeddingsAdapter(http, toVoyage),
  };
}
