import { createChatAdapter } from '../openai-compatible/chat.ts';
import { createEmbeddingsAdapter } from '../openai-compatible/embeddings.ts';
import type { Provider } from '../provider.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { createTextHttp } from '../text-http.ts';
import { toOpenAi } from './to-openai.ts';

/**
 * OpenAI: chat and embeddings, on the wire that others copied. `catalog.json` has the prices and limits of the models'
 * own pages (developers.openai.com/api/docs/models/gpt-5.1, …/gpt-5-mini, …/text-embedding-3-large), standard
 * processing, read 2026-11-21. The vendor keeps what it is sent for a time, so the endpoints count as collecting data.
 */
export function createOpenAiProvider(settings: ProviderSettings): Provider {
  const http = createTextHttp(settings);
  const { slug, apiKey } = settings;
  return {
    slug,
    chat: createChatAdapter({ http, apiKey, toVendor: toOpenAi }),
    embeddings: createEmbeddingsAdapter(http, apiKey),
  };
}
