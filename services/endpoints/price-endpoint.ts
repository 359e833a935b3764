import { createAuditStore } from '../../db/accounts/audit-store.ts';
import type { CatalogRows } from '../../db/catalog/catalog-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { createEndpointStore, type NamedEndpoint } from '../../db/endpoints/endpoint-store.ts';
import { completePricing, type StatedPricing } from '../../domain/endpoints/complete-pricing.ts';
import type { Actor } from '../../domain/principal.ts';
import { requireFound } from '../require-found.ts';
import { findMatchingPublicEndpoint } from './catalog-offer.ts';

/** Replaces all prices of an endpoint with any status. An earlier validation stays valid. */
export async function priceEndpoint(
  rows: CatalogRows,
  transaction: Handle,
  actor: Actor,
  id: string,
  stated: StatedPricing,
): Promise<NamedEndpoint> {
  const store = createEndpointStore(transaction);
  const endpoint = requireFound(await store.lock(actor.organizationId, id));
  const pricing = completePricing(stated, findMatchingPublicEndpoint(rows, endpoint)?.pricing);
  await store.setPricing(endpoint.id, pricing);
  const entry = { action: 'setPrivateEndpointPricing', target: `private-endpoints/${endpoint.id}` };
  await createAuditStore(transaction).insert(actor, entry);
  return { ...endpoint, pricing };
}
