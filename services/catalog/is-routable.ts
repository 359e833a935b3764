import type { ProviderRow } from '../../db/catalog/catalog-store.ts';
import { addressOf } from '../../providers/credentials.ts';
import { needsKey, type ProvidersOptions } from '../../providers/registry.ts';

/**
 * Creates a function that returns whether this deployment can call a provider. It needs an address, and a credential
 * unless the adapter's servers may work without one.
 */
export function createIsRoutable(credentials: ProvidersOptions['credentials']) {
  return (providerSlug: string, provider: Pick<ProviderRow, 'adapter' | 'baseUrl'> | undefined): boolean => {
    if (provider === undefined) return false;
    const { apiKey, baseUrl = provider.baseUrl } = credentials(providerSlug);
    return (
      addressOf(provider.adapter, apiKey, baseUrl) !== null &&
      (apiKey !== undefined || !needsKey(provider.adapter))
    );
  };
}
