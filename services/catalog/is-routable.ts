import type { ProviderRow } from '../../db/catalog/catalog-store.ts';
import { needsKey, type ProvidersOptions } from '../../providers/registry.ts';

/**
 * Whether this deployment holds what it takes to call a provider: an address, and a credential unless the adapter
 * speaks to servers that may want none.
 */
export function createIsRoutable(credentials: ProvidersOptions['credentials']) {
  return (providerSlug: string, provider: Pick<ProviderRow, 'adapter' | 'baseUrl'> | undefined): boolean => {
    if (provider === undefined) return false;
    const { apiKey, baseUrl = provider.baseUrl } = credentials(providerSlug);
    return baseUrl !== null && (apiKey !== undefined || !needsKey(provider.adapter));
  };
}
