/** Creates the adapters of all configured providers for live requests. */
import type { Logger } from '../../platform/logger.ts';
import { type Provider, providerFor } from '../../providers/provider.ts';
import type { VideoAdapter } from '../../providers/video-adapter.ts';
import { createProviderDispatcher } from '../../providers/provider-connection.ts';
import { createProviders, type ProvidersOptions } from '../../providers/registry.ts';
import type { OwnAccess } from '../../domain/endpoints/own-access.ts';
import type { Target } from '../../domain/routing/routing.ts';
import type { OwnProviders } from '../endpoints/own-providers.ts';
import type { Catalog } from '../catalog/catalog.ts';

export type LiveProvidersOptions = Pick<ProvidersOptions, 'credentials' | 'outbound' | 'timeouts'> & {
  catalog: Pick<Catalog, 'providers'>;
  /** The adapters of private endpoints and of customers' own keys. When absent, this process calls none of them. */
  own?: Pick<OwnProviders, 'of'>;
  logger: Logger;
};

/** Creates the adapters of the catalog's providers, and creates them again when the catalog's rows change. */
export function createLiveProviders(options: LiveProvidersOptions) {
  const { credentials, outbound, timeouts = {} } = options;
  const dispatcher = createProviderDispatcher();
  let builtFrom: ReturnType<Catalog['providers']> | undefined;
  let providers = new Map<string, Provider>();

  const current = (): Map<string, Provider> => {
    const rows = options.catalog.providers();
    if (rows !== builtFrom) {
      providers = createProviders({ rows, credentials, outbound, dispatcher, timeouts });
      builtFrom = rows;
      options.logger.info({ providers: [...providers.keys()] }, 'providers ready');
    }
    return providers;
  };

  const ownProvider = ({ connection }: OwnAccess): Provider | undefined => {
    const found = options.own?.of(connection);
    return found !== undefined && 'provider' in found ? found.provider : undefined;
  };

  return {
    /** Returns the adapters for a target; undefined when this process has no adapter or address for it. */
    of({ endpoint, own }: Target): Provider | undefined {
      const provider = own === undefined ? current().get(endpoint.providerSlug) : ownProvider(own);
      return provider && providerFor(provider, endpoint.upstreamModelId);
    },
    videoAdapter: (providerSlug: string): VideoAdapter | undefined => current().get(providerSlug)?.video,
    close: (): Promise<void> => dispatcher.close(),
  };
}

export type LiveProviders = ReturnType<typeof createLiveProviders>;
