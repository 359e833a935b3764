import type { Logger } from '../../platform/logger.ts';
import type { ChatAdapter } from '../../providers/chat-adapter.ts';
import type { DialectAdapter } from '../../providers/dialect-adapter.ts';
import type { EmbeddingsAdapter } from '../../providers/embeddings-adapter.ts';
import type { ImageAdapter } from '../../providers/image-adapter.ts';
import type { RerankAdapter } from '../../providers/rerank-adapter.ts';
import type { SpeechAdapter } from '../../providers/speech-adapter.ts';
import type { Provider } from '../../providers/provider.ts';
import type { VideoAdapter } from '../../providers/video-adapter.ts';
import { createProviderDispatcher } from '../../providers/provider-connection.ts';
import { createProviders, type ProvidersOptions } from '../../providers/registry.ts';
import type { Catalog } from './catalog.ts';

export interface LiveProviders {
  /** Undefined, as of the others, when this process has no adapter or address for the provider. */
  videoAdapter(providerSlug: string): VideoAdapter | undefined;
  chatAdapter(providerSlug: string): ChatAdapter | undefined;
  messagesAdapter(providerSlug: string): DialectAdapter | undefined;
  responsesAdapter(providerSlug: string): DialectAdapter | undefined;
  embeddingsAdapter(providerSlug: string): EmbeddingsAdapter | undefined;
  rerankAdapter(providerSlug: string): RerankAdapter | undefined;
  imageAdapter(providerSlug: string): ImageAdapter | undefined;
  speechAdapter(providerSlug: string): SpeechAdapter | undefined;
  /** Whether the provider is a vendor outside of the operator's network; false for an unknown one. */
  takesUrls(providerSlug: string): boolean;
  close(): Promise<void>;
}

export type LiveProvidersOptions = Pick<ProvidersOptions, 'credentials' | 'outbound' | 'timeouts'> & {
  catalog: Pick<Catalog, 'providers'>;
  logger: Logger;
  /** Adds to what a provider can do by itself, such as dialects by translation. Absent: nothing is added. */
  extend?(provider: Provider): Provider;
};

/** The adapters of the catalog's providers, built again when the catalog's rows change. */
export function createLiveProviders(options: LiveProvidersOptions): LiveProviders {
  const { credentials, outbound, timeouts = {}, extend = (provider) => provider } = options;
  const dispatcher = createProviderDispatcher();
  let builtFrom: ReturnType<Catalog['providers']> | undefined;
  let providers = new Map<string, Provider>();

  const current = (): Map<string, Provider> => {
    const rows = options.catalog.providers();
    if (rows !== builtFrom) {
      const built = createProviders({ rows, credentials, outbound, dispatcher, timeouts });
      providers = new Map([...built].map(([slug, provider]) => [slug, extend(provider)]));
      builtFrom = rows;
      options.logger.info({ providers: [...providers.keys()] }, 'providers ready');
    }
    return providers;
  };

  return {
    videoAdapter: (providerSlug) => current().get(providerSlug)?.video,
    chatAdapter: (providerSlug) => current().get(providerSlug)?.chat,
    messagesAdapter: (providerSlug) => current().get(providerSlug)?.messages,
    responsesAdapter: (providerSlug) => current().get(providerSlug)?.responses,
    embeddingsAdapter: (providerSlug) => current().get(providerSlug)?.embeddings,
    rerankAdapter: (providerSlug) => current().get(providerSlug)?.rerank,
    imageAdapter: (providerSlug) => current().get(providerSlug)?.image,
    speechAdapter: (providerSlug) => current().get(providerSlug)?.speech,
    takesUrls: (providerSlug) => current().get(providerSlug)?.takesUrls === true,
    close: () => dispatcher.close(),
  };
}
