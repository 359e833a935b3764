import { createRerankAdapter } from '../cohere/rerank.ts';
import { createProviderHttp } from '../http.ts';
import type { Provider } from '../provider.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { createTextHttp } from '../text-http.ts';
import { createChatAdapter } from './chat.ts';
import { createEmbeddingsAdapter } from './embeddings.ts';
import { createSpeechAdapter } from './speech.ts';
import { createImageAdapter } from './images.ts';
import { toServer } from './to-server.ts';
import { createVideoAdapter } from './video.ts';

/** Creates the provider for any server with OpenAI's wire at the operator's base URL. */
export function createOpenAiCompatibleProvider(settings: ProviderSettings): Provider {
  const { slug, apiKey } = settings;
  const http = createTextHttp(settings);
  return {
    slug,
    video: createVideoAdapter({ http: createProviderHttp(settings), settings }),
    chat: createChatAdapter({ http, apiKey, toVendor: toServer }),
    embeddings: createEmbeddingsAdapter(http, apiKey),
    image: createImageAdapter({ http, outbound: settings.outbound, apiKey }),
    speech: createSpeechAdapter({ http, apiKey }),
    rerank: createRerankAdapter({ http, apiKey, pictures: settings.outbound }),
  };
}
