/** Identifies the configuration that a validation tested, so that a later change of it invalidates the result. */
import { createHash } from 'node:crypto';
import type { PrivateEndpoint } from '../../domain/endpoints/private-endpoint.ts';
import { originOf } from './origin-of.ts';

/** The part of an endpoint that its validation tests. */
export type TestedConfiguration = Pick<
  PrivateEndpoint,
  | 'modelId'
  | 'providerSlug'
  | 'baseUrl'
  | 'upstreamModelId'
  | 'declaredParameters'
  | 'declaredRegion'
  | 'declaredZdr'
  | 'revision'
>;

/**
 * Returns a hash of the tested configuration. A validation is valid for an endpoint while the hashes are equal, so
 * prices are left out. The order of declared parameters does not matter. The revision invalidates earlier results
 * when the configuration is changed and changed back.
 */
export function digestOf(endpoint: TestedConfiguration): string {
  const { modelId, providerSlug, declaredParameters, declaredRegion, declaredZdr, revision } = endpoint;
  const facts = [
    modelId,
    providerSlug,
    upstreamOf(endpoint),
    declaredParameters?.toSorted() ?? null,
    declaredRegion,
    declaredZdr,
    revision,
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}

/** Returns the address and model that identify an upstream. Different spellings of one address give equal results. */
export function upstreamOf({
  baseUrl,
  upstreamModelId,
}: Pick<PrivateEndpoint, 'baseUrl' | 'upstreamModelId'>): string {
  return JSON.stringify([baseUrl === null ? null : normalUrl(baseUrl), upstreamModelId]);
}

/**
 * Returns the URL without a final slash and without a dot after the host name. Base URLs have no query and no fragment.
 */
function normalUrl(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return url;
  return `${originOf(url)}${parsed.pathname.replace(/\/+$/, '')}`;
}
