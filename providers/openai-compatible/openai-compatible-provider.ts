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
  const { slug } = settings;
  const http = createTextHttp(settings);
  return {
    slug,
    video: createVideoAdapter({ http: createProviderHttp(settings), settings }),
    chat: createChatAdapter({ http, toVendor: toServer }),
    embeddings: createEmbeddingsAdapter(http),
    image: createImageAdapter({ http, outbound: settings.outbound }),
    speech: createSpeechAdapter({ http }),
    rerank: createRerankAdapter({ http, pictures: settings.outbound }),
  };
}
