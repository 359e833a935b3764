/** States which adapters, addresses and models a private endpoint may have. */
import type { LiveCapability } from '../catalog/catalog.ts';
import { mayBringAddress, needsAddress } from './credential-key.ts';
import { PRIVATE_ADAPTERS, type PrivateCapability } from './private-endpoint.ts';

/** Returns whether a private endpoint may use the adapter. */
export function isPrivateAdapter(adapter: string): boolean {
  return PRIVATE_ADAPTERS.some((known) => known === adapter);
}

/** Returns whether a private endpoint with the adapter must have an address. It may stand in some credentials. */
export function needsBaseUrl(adapter: string): boolean {
  return needsAddress(adapter) && !mayBringAddress(adapter);
}

/**
 * Returns the capability of a private endpoint for the model; null if the model makes neither text nor embeddings. If
 * the catalog has no output modalities, the public endpoints' capabilities decide.
 */
export function privateCapabilityOf(
  outputModalities: readonly string[],
  publicCapabilities: readonly LiveCapability[],
): PrivateCapability | null {
  const makes = (modality: string, capability: PrivateCapability): boolean =>
    outputModalities.includes(modality) ||
    (outputModalities.length === 0 && publicCapabilities.includes(capability));
  if (makes('text', 'chat')) return 'chat';
  return makes('embeddings', 'embeddings') ? 'embeddings' : null;
}
