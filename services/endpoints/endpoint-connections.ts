/** Decides with which credentials, or without any, a private endpoint may be called. */
import type { OwnResources } from '../../db/endpoints/own-resources-read-model.ts';
import type { SealedCredential } from '../../db/endpoints/credential-rows.ts';
import { mayBringAddress } from '../../domain/endpoints/credential-key.ts';
import type { PrivateEndpoint } from '../../domain/endpoints/private-endpoint.ts';
import { originOf } from './origin-of.ts';
import { mayServeModel } from './own-rights.ts';

/** One way to call a private endpoint. */
export interface EndpointConnection {
  /** The address; when null, the address of the credential, else the vendor's own. */
  baseUrl: string | null;
  /** The credential; when null, the endpoint is called without a secret. */
  credential: SealedCredential | null;
}

/** The provider of an endpoint. */
export interface EndpointVendor {
  adapter: string;
  /** The origin of the vendor's own address; null when it has none. */
  vendorOrigin: string | null;
}

/** The adapter whose servers may be called without a secret. */
const WITHOUT_SECRET = 'openai-compatible';

/**
 * Returns the ways to call a private endpoint with these credentials, in their order; empty when it cannot be called. A
 * credential is sent only to its own origin. When the organization has no credential for an origin, an endpoint there
 * is called without a secret, as servers of vLLM and Ollama allow.
 */
export function connectionsOf(
  { providerSlug, modelId, baseUrl }: Pick<PrivateEndpoint, 'providerSlug' | 'modelId' | 'baseUrl'>,
  { credentials, origins }: Pick<OwnResources, 'credentials' | 'origins'>,
  { adapter, vendorOrigin }: EndpointVendor,
): EndpointConnection[] {
  const origin = baseUrl === null ? vendorOrigin : originOf(baseUrl);
  const isAnyOrigin = baseUrl === null && mayBringAddress(adapter);
  const fitting = credentials.filter(
    (credential) =>
      credential.providerSlug === providerSlug &&
      (isAnyOrigin || (credential.origin ?? vendorOrigin) === origin) &&
      mayServeModel(credential, modelId),
  );
  const mayBeOpen =
    adapter === WITHOUT_SECRET && baseUrl !== null && origin !== null && !origins.includes(origin);
  if (mayBeOpen) return [{ baseUrl, credential: null }];
  return fitting.map((credential) => ({ baseUrl: baseUrl ?? credential.baseUrl, credential }));
}
