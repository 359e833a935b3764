import type { Provider } from '../../provider.ts';
import type { ProviderSettings } from '../../provider-settings.ts';
import { createTextHttp } from '../../text-http.ts';
import { createGoogleChat } from '../chat.ts';
import { createGoogleImages } from '../images.ts';
import { createGoogleSpeech } from '../speech.ts';
import { readVertexCredential, type VertexCredential, vertexUrl } from './credential.ts';
import { createTokens } from './tokens.ts';

/**
 * Creates the provider for Gemini on Vertex AI: chat, pictures and speech, on the wire of the Gemini API. Project and
 * region are those of the credential, and so is the address. Throws an error that names the broken rule of a
 * credential, so that the gateway does not start with it.
 */
export function createVertexProvider(settings: ProviderSettings): Provider {
  const { slug, apiKey } = settings;
  // Without a credential the provider is not routable, but the catalog describes it.
  const credential = apiKey === undefined ? undefined : readVertexCredential(apiKey);
  if (typeof credential === 'string') throw new Error(`the credential of ${slug} ${credential}`);
  const current = createAdapters(settings, credential);
  return {
    slug,
    chat: {
      cacheControl: false,
      complete: async (request, context) => (await current()).chat.complete(request, context),
      stream: async (request, context) => (await current()).chat.stream(request, context),
    },
    image: { generate: async (request, context) => (await current()).image.generate(request, context) },
    speech: { speak: async (request, context) => (await current()).speech.speak(request, context) },
  };
}

type Adapters = ReturnType<typeof adaptersFor>;

/** Returns a function that gets the adapters with the present token, which errors must not contain. */
function createAdapters(
  settings: ProviderSettings,
  credential: VertexCredential | undefined,
): () => Promise<Adapters> {
  if (credential === undefined) return () => Promise.reject(new Error('called without a credential'));
  const tokens = createTokens(credential, settings.outbound);
  const baseUrl = vertexUrl(settings.baseUrl, credential);
  let built: { token: string; adapters: Adapters } | undefined;
  return async () => {
    const token = await tokens();
    if (built?.token !== token)
      built = { token, adapters: adaptersFor({ ...settings, baseUrl, apiKey: token }) };
    return built.adapters;
  };
}

function adaptersFor(settings: ProviderSettings) {
  const { apiKey } = settings;
  const http = createTextHttp(settings);
  return {
    chat: createGoogleChat(http, apiKey),
    image: createGoogleImages(http, settings),
    speech: createGoogleSpeech(http, apiKey),
  };
}
