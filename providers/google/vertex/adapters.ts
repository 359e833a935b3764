/** Builds the adapters of Vertex AI with the token of the moment, which errors must not contain. */
import type { ChatAdapter } from '../../chat-adapter.ts';
import type { DialectAdapter } from '../../dialect-adapter.ts';
import { createChatAdapter } from '../../openai-compatible/chat.ts';
import { toServer } from '../../openai-compatible/to-server.ts';
import type { ProviderSettings } from '../../provider-settings.ts';
import { createTextHttp } from '../../text-http.ts';
import { createGoogleChat } from '../chat.ts';
import { createGoogleImages } from '../images.ts';
import { createGoogleSpeech } from '../speech.ts';
import { createVertexClaude } from './claude.ts';
import { createAskVertex } from './embeddings.ts';
import { withoutToken } from './service-token.ts';
import type { GoogleAuth } from './tokens.ts';

/**
 * The header that asks Vertex AI for a service tier. It refuses the field of the Gemini API with a 400
 * (github.com/googleapis/python-genai/issues/2433, and LiteLLM's page on Vertex AI Priority, read 2026-11-28).
 */
const TIER_HEADER = 'x-vertex-ai-llm-shared-request-type';

type Adapters = ReturnType<typeof adaptersFor>;

/** Returns a function that gets the adapters with the present token. Without access it throws ProviderError. */
export function createAdapters(
  settings: ProviderSettings,
  auth: GoogleAuth | undefined,
): () => Promise<Adapters> {
  let built: { token: string; adapters: Adapters } | undefined;
  return async () => {
    if (auth === undefined) throw withoutToken('unauthorized', new Error('no credential'));
    const token = await auth.token();
    if (built?.token !== token)
      built = { token, adapters: adaptersFor({ ...settings, apiKey: token }, auth) };
    return built.adapters;
  };
}

function adaptersFor(settings: ProviderSettings, { placeUrl }: GoogleAuth) {
  const { apiKey } = settings;
  const at = (path: string): ProviderSettings => ({ ...settings, baseUrl: `${placeUrl}/${path}` });
  const google = at('publishers/google');
  const http = createTextHttp(google);
  const authorization = `Bearer ${apiKey ?? ''}`;
  const connectFor = (tier: string) =>
    createTextHttp({ ...google, headers: { authorization, [TIER_HEADER]: tier } });
  return {
    chat: createGoogleChat(http, apiKey, connectFor),
    askVectors: createAskVertex(http, apiKey),
    image: createGoogleImages(http, google),
    speech: createGoogleSpeech(http, google),
    claude: createVertexClaude(at('publishers/anthropic')),
    open: createChatAdapter({
      http: createTextHttp(at('endpoints/openapi')),
      apiKey,
      toVendor: toServer,
      deviations: ['max_tokens'],
    }),
  };
}

/** Returns an adapter that gets the one to use for each call. It has the same abilities. */
export function chatBy(
  get: () => Promise<ChatAdapter>,
  abilities: Pick<ChatAdapter, 'cacheControl'>,
): ChatAdapter {
  return {
    ...abilities,
    complete: async (request, context) => (await get()).complete(request, context),
    stream: async (request, context) => (await get()).stream(request, context),
  };
}

/** Returns an adapter that gets the one to use for each call. It has the same default. */
export function dialectBy(
  get: () => Promise<DialectAdapter>,
  abilities: Pick<DialectAdapter, 'defaultMaxTokens'>,
): DialectAdapter {
  return {
    ...abilities,
    create: async (request, context) => (await get()).create(request, context),
    stream: async (request, context) => (await get()).stream(request, context),
  };
}
