/** Finds the credential and the adapter that would serve a private endpoint, in the first checks of its validation. */
import { createOwnResourcesReadModel } from '../../../db/endpoints/own-resources-read-model.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import type { PrivateEndpoint } from '../../../domain/endpoints/private-endpoint.ts';
import type { Check } from '../../../domain/endpoints/validation.ts';
import type { OutboundGuard } from '../../../platform/outbound-guard.ts';
import type { Provider } from '../../../providers/provider.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { connectionsOf } from '../endpoint-connections.ts';
import { accepts, type OwnFailure, type OwnProviders } from '../own-providers.ts';

export interface TargetDeps {
  knex: Handle;
  catalog: Pick<Catalog, 'providers'>;
  guard: Pick<OutboundGuard, 'checkUrl'>;
  ownProviders: Pick<OwnProviders, 'of' | 'vendorOrigin'>;
}

/** The upstream of an endpoint, ready to be called. */
export interface Target {
  adapter: string;
  provider: Provider;
  scrub(text: string): string;
}

/** Builds the adapter that requests of the workspace would use, or returns the checks up to the one that failed. */
export async function findTarget(
  deps: TargetDeps,
  endpoint: PrivateEndpoint,
  workspaceId: string,
): Promise<Target | Check[]> {
  const { providerSlug, baseUrl } = endpoint;
  const adapter = deps.catalog.providers().find(({ slug }) => slug === providerSlug)?.adapter;
  if (adapter === undefined) return urlFails('provider_not_found');
  if (baseUrl !== null && !accepts(deps.guard, baseUrl)) return urlFails('invalid_base_url');
  const { credentials, origins } = await createOwnResourcesReadModel(deps.knex).find({
    organizationId: endpoint.organizationId,
    workspaceId,
  });
  // The lists of keys and users are not checked here, because they concern the caller of a request.
  const [connection] = connectionsOf(
    endpoint,
    { credentials, origins },
    {
      adapter,
      vendorOrigin: deps.ownProviders.vendorOrigin(providerSlug),
    },
  );
  if (connection === undefined) return credentialFails('no_byok_key');
  const found = deps.ownProviders.of({ providerSlug, ...connection });
  if ('provider' in found) return { adapter, ...found };
  const { failure } = found;
  const isOfCredential = failure === 'no_byok_key' || failure === 'key_decryption_failed';
  return isOfCredential ? credentialFails(failure) : urlFails(failure);
}

function urlFails(reason: OwnFailure): Check[] {
  return [{ name: 'base_url_allowed', passed: false, reason }];
}

function credentialFails(reason: OwnFailure): Check[] {
  return [
    { name: 'base_url_allowed', passed: true },
    { name: 'credential_ok', passed: false, reason },
  ];
}
