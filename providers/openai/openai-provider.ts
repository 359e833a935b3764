import { createChatAdapter } from '../openai-compatible/chat.ts';
import { createEmbeddingsAdapter } from '../openai-compatible/embeddings.ts';
import { createImageAdapter } from '../openai-compatible/images.ts';
import { createSpeechAdapter } from '../openai-compatible/speech.ts';
import type { Provider } from '../provider.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { createTextHttp } from '../text-http.ts';
import { createResponsesAdapter } from './responses.ts';
import { toOpenAi } from './to-openai.ts';

/**
 * Creates the provider for OpenAI: chat, embeddings, images and speech.
 *
 * `catalog.json` is written by `npm run catalog` (docs/catalog.md). docs/providers.md names the source of the prices of
 * images. Speech with prices per audio token is priced per second instead, at the vendor's own estimate of $0.015 a
 * minute, because its answers have no usage. The vendor stores requests for a time, so the endpoints count as
 * collecting data.
 */
export function createOpenAiProvider(settings: ProviderSettings): Provider {
  const http = createTextHttp(settings);
  const { slug } = settings;
  return {
    slug,
    takesUrls: true,
    chat: createChatAdapter({ http, toVendor: toOpenAi, takesThoughts: false }),
    responses: createResponsesAdapter(http),
    embeddings: createEmbeddingsAdapter(http),
    speech: createSpeechAdapter({ http }),
    image: createImageAdapter({ http, outbound: settings.outbound }),
  };
}
