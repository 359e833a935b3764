import type { PrivateEndpoint } from '../../domain/endpoints/private-endpoint.ts';
import { originOf } from './origin-of.ts';

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
