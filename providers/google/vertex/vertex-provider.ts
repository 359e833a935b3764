/** Connects the models of a project on Vertex AI, each by the wire of its maker. */
import { createMessagesAdapter } from '../../anthropic/messages.ts';
import { readCredential } from '../../credentials.ts';
import { withAllDialects } from '../../dialects/all-dialects.ts';
import { createChatAdapter } from '../../openai-compatible/chat.ts';
import { toServer } from '../../openai-compatible/to-server.ts';
import type { Provider } from '../../provider.ts';
import type { ProviderSettings } from '../../provider-settings.ts';
import { withoutCredential } from '../../renewed.ts';
import { createTextHttp } from '../../text-http.ts';
import { createGoogleChat } from '../chat.ts';
import { createVertexEmbeddings } from '../embeddings.ts';
import { createGoogleImages } from '../images.ts';
import { createGoogleSpeech } from '../speech.ts';
import { createVertexVideo } from '../videos/vertex-videos.ts';
import { toVertexClaude } from './claude.ts';
import { placeOf, type VertexCredential } from './credential.ts';
import { createTokens, type GoogleAuth } from './tokens.ts';

/**
 * The header that asks Vertex AI for a service tier. It refuses the field of the Gemini API with a 400
 * (github.com/googleapis/python-genai/issues/2433, and LiteLLM's page on Vertex AI Priority, read 2026-11-28).
 */
const TIER_HEADER = 'x-vertex-ai-llm-shared-request-type';

/**
 * Creates the provider for Vertex AI. Google's models speak the wire of the Gemini API, Claude speaks Anthropic's, and
 * open models, whose names have the maker before a slash, speak OpenAI's. Project and region are those of the
 * credential.
 */
export function createVertexProvider(settings: ProviderSettings): Provider {
  const { slug, apiKey, dispatcher } = settings;
  const credential = apiKey === undefined ? undefined : readCredential('google-vertex', apiKey, 'operator');
  // Credentials are checked where they are configured, so that the error names the variable or the field.
  if (typeof credential === 'string') throw new Error(`the credential of ${slug} ${credential}`);
  const auth = authOf(settings, credential?.fields as VertexCredential | undefined);
  const { placeUrl, token, secrets } = auth;
  const authorize = async () => ({ authorization: `Bearer ${await token()}` });
  const connectTo = (path: string) => (headers: Record<string, string>) =>
    createTextHttp({ baseUrl: `${placeUrl}/${path}`, dispatcher, headers, authorize, secrets });
  const connect = connectTo('publishers/google');
  const http = connect({});
  const claude = createMessagesAdapter(connectTo('publishers/anthropic'), toVertexClaude);
  const open = createChatAdapter({
    http: connectTo('endpoints/openapi')({}),
    toVendor: toServer,
    deviations: ['max_tokens'],
  });
  const [ofClaude, ofOpen] = [
    withAllDialects({ slug, messages: claude }),
    withAllDialects({ slug, chat: open }),
  ];
  return {
    slug,
    chat: createGoogleChat(http, (tier) => connect({ [TIER_HEADER]: tier })),
    embeddings: createVertexEmbeddings(http),
    image: createGoogleImages(http, settings),
    speech: createGoogleSpeech(http, settings),
    video: createVertexVideo(auth, settings),
    ofModel(model) {
      if (model.startsWith('claude-')) return ofClaude;
      return model.includes('/') ? ofOpen : undefined;
    },
  };
}

/** Returns the access by a credential. A provider without one is not routable, but lists say what it could do. */
function authOf(
  { baseUrl, outbound }: ProviderSettings,
  credential: VertexCredential | undefined,
): GoogleAuth {
  if (credential !== undefined)
    return { placeUrl: placeOf(baseUrl, credential), ...createTokens(credential, outbound) };
  return {
    placeUrl: baseUrl,
    token: () => Promise.reject(withoutCredential('unauthorized', new Error('no credential'))),
    secrets: () => [],
  };
}
