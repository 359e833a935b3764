import { createProviderHttp } from '../http.ts';
import type { Provider } from '../provider.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { createTextHttp } from '../text-http.ts';
import { createGoogleChat } from './chat.ts';
import { createGoogleEmbeddings } from './embeddings.ts';
import { createGoogleImages } from './images.ts';
import { createGoogleSpeech } from './speech.ts';
import { createOmniVideo } from './videos/omni.ts';

/** Creates the provider for Google's Gemini API, with a key: chat, embeddings, pictures, speech and videos. */
export function createGoogleProvider(settings: ProviderSettings): Provider {
  const { slug, apiKey } = settings;
  const headers: Record<string, string> = apiKey === undefined ? {} : { 'x-goog-api-key': apiKey };
  const http = createTextHttp({ ...settings, headers });
  return {
    slug,
    chat: createGoogleChat(http),
    embeddings: createGoogleEmbeddings(http),
    image: createGoogleImages(http, settings),
    speech: createGoogleSpeech(http, settings),
    video: createOmniVideo(createProviderHttp({ ...settings, authorize: () => headers }), settings),
  };
}
