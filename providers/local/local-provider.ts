/** Creates the adapters with which the gateway calls the local upstream. */
import { createProviderHttp } from '../http.ts';
import { createRerankAdapter } from '../cohere/rerank.ts';
import { createChatAdapter } from '../openai-compatible/chat.ts';
import { createEmbeddingsAdapter } from '../openai-compatible/embeddings.ts';
import { toServer } from '../openai-compatible/to-server.ts';
import { createVideoAdapter } from '../openai-compatible/video.ts';
import { listSchema } from '../openai-compatible/video-schemas.ts';
import type { Provider } from '../provider.ts';
import type { VideoAdapter } from '../video-adapter.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { createTextHttp } from '../text-http.ts';
import { createImageAdapter } from '../openai-compatible/images.ts';
import { createLocalSpeechAdapter } from './speech.ts';

/**
 * Creates the provider for the local upstream. It uses the OpenAI-compatible wire and the extras that
 * `upstream/videos/video-capability.ts` documents, such as idempotent submission and finding a job by its key.
 */
export function createLocalProvider(settings: ProviderSettings): Provider {
  const http = createProviderHttp(settings);
  const video: VideoAdapter = {
    ...createVideoAdapter({
      http,
      settings,
      fields: { lastFrame: 'last_frame_reference', remixSeconds: true },
      idempotencyHeader: 'idempotency-key',
    }),
    async findOperation(idempotencyKey, context) {
      const path = `videos?limit=1&idempotency_key=${encodeURIComponent(idempotencyKey)}`;
      const { value } = await http.requestJson({ method: 'GET', path }, listSchema, context);
      return value.data[0] ?? null;
    },
  };
  const { slug, apiKey } = settings;
  const text = createTextHttp(settings);
  return {
    slug,
    video,
    chat: createChatAdapter({ http: text, apiKey, toVendor: toServer }),
    embeddings: createEmbeddingsAdapter(text, apiKey),
    speech: createLocalSpeechAdapter(text, settings),
    image: createImageAdapter({ http: text, outbound: settings.outbound, apiKey, seed: true }),
    rerank: createRerankAdapter({ http: text, apiKey, pictures: settings.outbound }),
  };
}
