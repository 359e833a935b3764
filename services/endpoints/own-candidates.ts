/** Builds routing targets from a workspace's private endpoints and its own provider credentials. */
import type { OwnResources } from '../../db/endpoints/own-resources-read-model.ts';
import type { SealedCredential } from '../../db/endpoints/credential-rows.ts';
import type { LiveCapability, LiveEndpoint, LiveModel } from '../../domain/catalog/catalog.ts';
import type { OwnAccess, OwnConnection } from '../../domain/endpoints/own-access.ts';
import type { PrivateEndpoint } from '../../domain/endpoints/private-endpoint.ts';
import type { Target } from '../../domain/routing/routing.ts';
import type { Catalog, KnownModel } from '../catalog/catalog.ts';
import { connectionsOf } from './endpoint-connections.ts';
import { mayServeModel } from './own-rights.ts';
import type { OwnProviders } from './own-providers.ts';
import { toLiveEndpoint } from './to-live-endpoint.ts';

/**
 * A target that the customer brought, with the credential that decides who may use it; a null credential allows
 * everyone.
 */
export interface Candidate {
  credential: SealedCredential | null;
  target: Target;
  /** Returns false when the credential cannot be opened, or the address is refused. */
  isUsable(): boolean;
}

export interface CandidateDeps {
  catalog: Pick<Catalog, 'providers'>;
  providers: Pick<OwnProviders, 'of' | 'vendorOrigin'>;
}

/** Holds a workspace's own targets, built once for each model. */
export function createCandidates(deps: CandidateDeps, own: OwnResources) {
  const built = new WeakMap<KnownModel, Partial<Record<LiveCapability, Candidate[]>>>();
  return {
    of(model: KnownModel, capability: LiveCapability): readonly Candidate[] {
      let byCapability = built.get(model);
      if (byCapability === undefined) built.set(model, (byCapability = {}));
      return (byCapability[capability] ??= [
        ...privateCandidates(deps, own, model, capability),
        ...credentialCandidates(deps, own, model, capability),
      ]);
    },
  };
}

function privateCandidates(
  deps: CandidateDeps,
  own: OwnResources,
  model: KnownModel,
  capability: LiveCapability,
): Candidate[] {
  const served = toLiveModel(model, capability);
  const adapterOf = (slug: string) => deps.catalog.providers().find((row) => row.slug === slug)?.adapter;
  const serves = (endpoint: PrivateEndpoint) =>
    endpoint.modelId === model.id && endpoint.capability === capability;
  return own.endpoints.filter(serves).flatMap((endpoint) => {
    const live = toLiveEndpoint(endpoint, model, served.endpoints);
    const vendor = {
      adapter: adapterOf(endpoint.providerSlug) ?? '',
      vendorOrigin: deps.providers.vendorOrigin(endpoint.providerSlug),
    };
    return connectionsOf(endpoint, own, vendor).map(({ credential, ...connection }) =>
      candidate(deps, served, live, credential, { ...connection, tier: 'private' }),
    );
  });
}

function credentialCandidates(
  deps: CandidateDeps,
  { credentials }: OwnResources,
  model: KnownModel,
  capability: LiveCapability,
): Candidate[] {
  const served = toLiveModel(model, capability);
  return served.endpoints.flatMap((endpoint) =>
    credentials
      .filter((own) => own.providerSlug === endpoint.providerSlug && mayServeModel(own, model.id))
      .map((own) => {
        const tier = own.isFallback ? 'fallback' : 'credential';
        return candidate(deps, served, withDeclarations(endpoint, own), own, { baseUrl: own.baseUrl, tier });
      }),
  );
}

function candidate(
  { providers }: CandidateDeps,
  model: LiveModel,
  endpoint: LiveEndpoint,
  credential: SealedCredential | null,
  { baseUrl, tier }: Pick<OwnConnection, 'baseUrl'> & Pick<OwnAccess, 'tier'>,
): Candidate {
  const connection: OwnConnection = { providerSlug: endpoint.providerSlug, baseUrl, credential };
  const circuitId = `${endpoint.id}/${credential === null ? 'open' : credential.secretVersion}`;
  const sortOrder = credential?.sortOrder ?? 0;
  let isUsable: boolean | undefined;
  return {
    credential,
    target: { model, endpoint, own: { tier, sortOrder, circuitId, connection } },
    isUsable: () => (isUsable ??= 'provider' in providers.of(connection)),
  };
}

function toLiveModel({ endpoints, ...model }: KnownModel, capability: LiveCapability): LiveModel {
  return { ...model, endpoints: endpoints.filter((endpoint) => endpoint.capability === capability) };
}

/**
 * Returns the endpoint with the customer's declarations about the vendor's account, which take precedence over the
 * catalog.
 */
function withDeclarations(
  endpoint: LiveEndpoint,
  { declaredZdr, declaredRegion }: SealedCredential,
): LiveEndpoint {
  if (declaredZdr === null && declaredRegion === null) return endpoint;
  return {
    ...endpoint,
    ...(declaredZdr === null ? {} : { zdr: declaredZdr, collectsData: !declaredZdr }),
    region: declaredRegion ?? endpoint.region,
  };
}
