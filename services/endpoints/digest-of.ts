/** Identifies the configuration that a validation tested, so that a later change of it invalidates the result. */
import { createHash } from 'node:crypto';
import type { PrivateEndpoint } from '../../domain/endpoints/private-endpoint.ts';
import { upstreamOf } from './upstream-of.ts';

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
