import { readCredential } from '../../credentials.ts';
import type { Provider } from '../../provider.ts';
import type { ProviderSettings } from '../../provider-settings.ts';
import { createTextHttp } from '../../text-http.ts';
import { createGoogleChat } from '../chat.ts';
import { createGoogleImages } from '../images.ts';
import type { GoogleAuth } from '../google-auth.ts';
import { createGoogleSpeech } from '../speech.ts';
import { createVeoVideo } from '../videos/veo.ts';
import { placeOf, type VertexCredential } from './credential.ts';
import { refusedIdentity } from './refused-identity.ts';
import { createTokens } from './tokens.ts';

/**
 * Creates the provider for Vertex AI: chat, pictures and speech on the wire of the Gemini API, and Veo. Project and
 * region are those of the credential.
 */
export function createVertexProvider(settings: ProviderSettings): Provider {
  const { slug, apiKey } = settings;
  const credential = apiKey === undefined ? undefined : readCredential('google-vertex', apiKey, 'operator');
  // Credentials are checked where they are configured, so that the error names the variable or the field.
  if (typeof credential === 'string') throw new Error(`the credential of ${slug} ${credential}`);
  // Without a credential the provider is not routable, but lists say what it could do.
  const auth = credential && authOf(settings, credential.fields as unknown as VertexCredential);
  const current = createAdapters(settings, auth);
  return {
    slug,
    chat: {
      cacheControl: false,
      complete: async (request, context) => (await current()).chat.complete(request, context),
      stream: async (request, context) => (await current()).chat.stream(request, context),
    },
    image: { generate: async (request, context) => (await current()).image.generate(request, context) },
    speech: { speak: async (request, context) => (await current()).speech.speak(request, context) },
    ...(auth && { video: createVeoVideo(auth, settings) }),
  };
}

type Adapters = ReturnType<typeof adaptersFor>;

function authOf({ baseUrl, outbound }: ProviderSettings, credential: VertexCredential): GoogleAuth {
  return {
    baseUrl: `${placeOf(baseUrl, credential)}/publishers/google`,
    token: createTokens(credential, outbound),
  };
}

/** Returns a function that gets the adapters with the present token, which errors must not contain. */
function createAdapters(settings: ProviderSettings, auth: GoogleAuth | undefined): () => Promise<Adapters> {
  let built: { token: string; adapters: Adapters } | undefined;
  return async () => {
    if (auth === undefined) throw refusedIdentity(new Error('no credential'));
    const token = await auth.token();
    if (built?.token !== token)
      built = { token, adapters: adaptersFor({ ...settings, baseUrl: auth.baseUrl, apiKey: token }) };
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
