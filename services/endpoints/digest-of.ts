import { createHash } from 'node:crypto';
import type { PrivateEndpoint } from '../../domain/endpoints/private-endpoint.ts';
import { upstreamOf } from './upstream-of.ts';

/** The part of an endpoint that its validation tests. */
export type TestedConfiguration = Pick<
import { originOf } from './own-connection.ts';

type Tested = Pick<
  PrivateEndpoint,
  | 'modelId'
  | 'providerSlug'
  | 'baseUrl'
  | 'upstreamModelId'
  | 'declaredParameters'
  | 'declaredRegion'
  | 'declaredZdr'
>;

/**
 * Returns a hash of what a validation tests. A validation holds for an endpoint while the hashes are equal, so prices are
 * left out of it. The order of declared parameters does not matter.
 */
export function digestOf(endpoint: TestedConfiguration): string {
  const { modelId, providerSlug, declaredParameters, declaredRegion, declaredZdr } = endpoint;
  const facts = [
    modelId,
    providerSlug,
    upstreamOf(endpoint),
    declaredParameters?.toSorted() ?? null,
    declaredRegion,
    declaredZdr,
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
/** Returns lower-case hex SHA-256 over all that a validation is about: an endpoint with another digest must be tested again. */
export function digestOf(endpoint: Tested): string {
  const { modelId, providerSlug, baseUrl, upstreamModelId, declaredParameters } = endpoint;
  const tested = [
    modelId,
    providerSlug,
    baseUrl === null ? null : normalUrl(baseUrl),
    upstreamModelId,
    declaredParameters?.toSorted() ?? null,
    endpoint.declaredRegion,
    endpoint.declaredZdr,
  ];
  return createHash('sha256').update(JSON.stringify(tested)).digest('hex');
}

/** The spellings of one address are one text. */
function normalUrl(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? url : `${originOf(url)}${parsed.pathname.replace(/\/+$/, '')}${parsed.search}`;
}
