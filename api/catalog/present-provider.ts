/** Turns a provider into an entry of the body of `GET /providers`. */
import type { ProviderRecord } from '../../contract/catalog/model.ts';
import type { ProviderRow } from '../../db/catalog/catalog-store.ts';

export function presentProvider(provider: ProviderRow): ProviderRecord {
  return {
    name: provider.name,
    slug: provider.slug,
    privacy_policy_url: provider.privacyPolicyUrl,
    terms_of_service_url: provider.termsOfServiceUrl,
    status_page_url: provider.statusPageUrl,
    headquarters: provider.headquarters,
    datacenters: provider.datacenters,
  };
}
