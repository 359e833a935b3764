import { createChatAdapter } from '../openai-compatible/chat.ts';
import { createEmbeddingsAdapter } from '../openai-compatible/embeddings.ts';
import { createSpeechAdapter } from '../openai-compatible/speech.ts';
import { toOpenAi } from '../openai/to-openai.ts';
import type { Provider } from '../provider.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { createTextHttp, type TextHttp } from '../text-http.ts';

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
  const { slug } = settings;
  return {
    slug,
    takesUrls: true,
    chat: createChatAdapter({ http, toVendor: toOpenAi, takesThoughts: false }),
    embeddings: createEmbeddingsAdapter(http),
    speech: createSpeechAdapter({ http }),
  };
}

type AzureHttpOptions = Pick<ProviderSettings, 'baseUrl' | 'apiKey' | 'apiVersion' | 'dispatcher'>;

/**
 * Creates the connection to a resource. Without an API version all deployments share `<endpoint>/openai/v1`. With an
 * API version each deployment has its own path, which contains the `model` of the body.
 */
function createAzureHttp({ baseUrl, apiKey, apiVersion, dispatcher }: AzureHttpOptions): TextHttp {
  const headers = apiKey === undefined ? {} : { 'api-key': apiKey };
  const connect = (path: string) =>
    createTextHttp({ baseUrl: endpointOf(baseUrl) + path, apiKey, headers, dispatcher });
  if (apiVersion === undefined) return connect('/openai/v1');
  const query = `?api-version=${encodeURIComponent(apiVersion)}`;
  const pathOf = (path: string, body: object): string =>
    `${encodeURIComponent(deploymentOf(body))}/${path}${query}`;
  const http = connect('/openai/deployments');
  return {
    post: (path, body, context, reader) => http.post(pathOf(path, body), body, context, reader),
    stream: (path, body, context, reader) => http.stream(pathOf(path, body), body, context, reader),
    bytes: (path, body, context, reader) => http.bytes(pathOf(path, body), body, context, reader),
  };
}

/** Returns the resource's own address. Base URLs in examples for clients also end in `/openai` or `/openai/v1`. */
function endpointOf(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '').replace(/\/openai(\/+v1)?$/, '');
}

/** Returns the deployment of a request, which is the `model` of its body. */
function deploymentOf(body: object): string {
  return 'model' in body && typeof body.model === 'string' ? body.model : '';
}
