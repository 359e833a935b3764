/** Looks up models, providers and public endpoints in catalog rows for the creation of private endpoints. */
import type { CatalogRows, ModelRow } from '../../db/catalog/catalog-store.ts';
import type { LiveEndpoint } from '../../domain/catalog/catalog.ts';
import type { PrivateCapability } from '../../domain/endpoints/private-endpoint.ts';
import { nameModels, namesWithin } from '../catalog/model-names.ts';

/** Returns the model of this name, even if no public endpoint serves it. */
export function findModel(rows: CatalogRows, name: string): ModelRow | undefined {
  return namesWithin(rows.models, nameModels(rows))(name);
}

/** Returns the public endpoints of a model, the preferred ones first. */
export function publicEndpointsOf({ liveEndpoints }: CatalogRows, modelId: string): LiveEndpoint[] {
  return liveEndpoints.filter((endpoint) => endpoint.modelId === modelId);
}

/**
 * Returns the public endpoint that supplies the defaults of a private one: that of the same provider, otherwise the
 * first of the model.
 */
export function findMatchingPublicEndpoint(
  rows: CatalogRows,
  {
    modelId,
    providerSlug,
    capability,
  }: { modelId: string; providerSlug: string; capability: PrivateCapability },
): LiveEndpoint | undefined {
  const candidates = publicEndpointsOf(rows, modelId).filter((one) => one.capability === capability);
  return candidates.find((one) => one.providerSlug === providerSlug) ?? candidates[0];
}
