import { createChatAdapter } from '../openai-compatible/chat.ts';
import { createEmbeddingsAdapter } from '../openai-compatible/embeddings.ts';
import { createSpeechAdapter } from '../openai-compatible/speech.ts';
import { toOpenAi } from '../openai/to-openai.ts';
import type { Provider } from '../provider.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { createAzureHttp } from './azure-http.ts';

/**
 * Creates the provider for Azure OpenAI: chat, embeddings and speech of a customer's own resource. Written from
 * Microsoft's REST reference (learn.microsoft.com/azure/ai-services/openai/reference and
 * …/azure/ai-foundry/openai/latest) and the `AzureOpenAI` client of openai-node 6.49, read 2026-11-23. `model` of a
 * request is the name of a deployment; answers name the model.
 * - The key is sent as `api-key`. Without an API version the requests go to `/openai/v1`.
 * - The first event of a stream has no choices and an empty `id`: it reports the content filter's result for the
 *   prompt.
 * - The answer to a prompt that the filter refuses is a 400 with the code `content_filter`.
 * - API versions before 2024-09-01-preview reject `stream_options`, and so every stream.
 * - The wire for pictures differs: edits are forms. Pictures are not supported.
 */
export function createAzureProvider(settings: ProviderSettings): Provider {
  const http = createAzureHttp(settings);
  const { slug, apiKey } = settings;
  return {
    slug,
    takesUrls: true,
    chat: createChatAdapter({ http, apiKey, toVendor: toOpenAi, takesThoughts: false }),
    embeddings: createEmbeddingsAdapter(http, apiKey),
    speech: createSpeechAdapter({ http, apiKey }),
  };
}
