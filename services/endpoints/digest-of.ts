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
 * Returns a hash of what a validation tests. A validation holds for an endpoint while the hashes are equal, so prices are
 * left out of it. The order of declared parameters does not matter. The revision makes an earlier result void when the
 * configuration is changed and changed back.
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
