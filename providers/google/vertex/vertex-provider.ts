import { DEFAULT_MAX_TOKENS } from '../../anthropic/messages.ts';
import { readCredential } from '../../credentials.ts';
import { withAllDialects } from '../../dialects/all-dialects.ts';
import type { Provider } from '../../provider.ts';
import type { ProviderSettings } from '../../provider-settings.ts';
import { embeddingsBy } from '../embeddings.ts';
import { createVertexVideo } from '../videos/vertex-videos.ts';
import { chatBy, createAdapters, dialectBy } from './adapters.ts';
import { placeOf, type VertexCredential } from './credential.ts';
import { createTokens, type GoogleAuth } from './tokens.ts';

/**
 * Creates the provider for Vertex AI. Google's models speak the wire of the Gemini API, Claude speaks Anthropic's, and
 * open models, whose names have the maker before a slash, speak OpenAI's. Project and region are those of the
 * credential.
 */
export function createVertexProvider(settings: ProviderSettings): Provider {
  const { slug, apiKey } = settings;
  const credential = apiKey === undefined ? undefined : readCredential('google-vertex', apiKey, 'operator');
  // Credentials are checked where they are configured, so that the error names the variable or the field.
  if (typeof credential === 'string') throw new Error(`the credential of ${slug} ${credential}`);
  // Without a credential the provider is not routable, but lists say what it could do.
  const auth = credential && authOf(settings, credential.fields as unknown as VertexCredential);
  const current = createAdapters(settings, auth);
  const claude = withAllDialects({
    slug,
    messages: dialectBy(async () => (await current()).claude, { defaultMaxTokens: DEFAULT_MAX_TOKENS }),
  });
  const open = withAllDialects({
    slug,
    chat: chatBy(async () => (await current()).open, { cacheControl: false }),
  });
  return {
    slug,
    chat: chatBy(async () => (await current()).chat, { cacheControl: false }),
    embeddings: embeddingsBy(async (...asked) => (await current()).askVectors(...asked)),
    image: { generate: async (request, context) => (await current()).image.generate(request, context) },
    speech: { speak: async (request, context) => (await current()).speech.speak(request, context) },
    ...(auth && { video: createVertexVideo(auth, settings) }),
    ofModel(model) {
      if (model.startsWith('claude-')) return claude;
      return model.includes('/') ? open : undefined;
    },
  };
}

function authOf({ baseUrl, outbound }: ProviderSettings, credential: VertexCredential): GoogleAuth {
  return { placeUrl: placeOf(baseUrl, credential), token: createTokens(credential, outbound) };
}
