import type { Handle } from '../../db/postgres/connection.ts';
import { createEndpointStore, type NamedEndpoint } from '../../db/endpoints/endpoint-store.ts';
import type { StatedPricing } from '../../domain/endpoints/complete-pricing.ts';
import type { Actor } from '../../domain/principal.ts';
import { requireFound, requireId } from '../require-found.ts';
import { convertCancelledStatement } from './cancelled-statement.ts';
import { activateEndpoint, removeEndpoint, switchEndpoint, priceEndpoint } from './change-endpoint-status.ts';
import type { EndpointDraft } from './check-endpoint-draft.ts';
import {
  createEndpoint,
  type CreatedEndpoint,
  type CreateEndpointDeps,
  type CreateEndpointOptions,
} from './create-endpoint.ts';
import { type EndpointChanges, updateEndpoint } from './update-endpoint.ts';

/**
 * Manages private endpoints: deployments of customers that serve models of the catalog to their own organization. An id
 * that names none of the organization's endpoints gets a 404. Each change leaves an audit row. A change applies in this
 * process before the answer and in the others within a second, when the notice arrives. A 408 means that Postgres
 * cancelled a statement.
 */
export function createPrivateEndpointService(deps: CreateEndpointDeps) {
  const { knex, catalog, checkUrl, forgetOwnResources } = deps;
  const store = createEndpointStore(knex);
  /** Runs a change in a transaction, and applies it in this process. */
  const change = async <T>(
    { organizationId }: Actor,
    work: (transaction: Handle) => Promise<T>,
  ): Promise<T> => {
    const result = await convertCancelledStatement(knex.transaction(work));
    forgetOwnResources(organizationId);
    return result;
  };
  const find = async (organizationId: string, id: string): Promise<NamedEndpoint> =>
    requireFound(await store.find(organizationId, requireId(id)));
  return {
    /** Lists endpoints, the oldest first. */
    list: (organizationId: string): Promise<NamedEndpoint[]> =>
      convertCancelledStatement(store.list(organizationId)),
    get: (organizationId: string, id: string): Promise<NamedEndpoint> =>
      convertCancelledStatement(find(organizationId, id)),
    /** Creates a private endpoint; see `createEndpoint`. */
    create: (actor: Actor, draft: EndpointDraft, options: CreateEndpointOptions): Promise<CreatedEndpoint> =>
      convertCancelledStatement(createEndpoint(deps, actor, draft, options)),
    /** Replaces the upstream of a draft; see `updateEndpoint`. */
    update: (actor: Actor, id: string, changes: EndpointChanges): Promise<NamedEndpoint> =>
      change(actor, (transaction) => updateEndpoint(checkUrl, transaction, actor, requireId(id), changes)),
    /** Replaces the prices of an endpoint; see `priceEndpoint`. */
    async setPricing(actor: Actor, id: string, pricing: StatedPricing): Promise<NamedEndpoint> {
      const rows = await convertCancelledStatement(catalog.load());
      return change(actor, (transaction) => priceEndpoint(rows, transaction, actor, requireId(id), pricing));
    },
    /** Activates a draft; see `activateEndpoint`. */
    activate: (actor: Actor, id: string): Promise<NamedEndpoint> =>
      change(actor, (transaction) => activateEndpoint(transaction, actor, requireId(id))),
    /** Enables or disables an endpoint; see `switchEndpoint`. */
    switch: (actor: Actor, id: string, status: 'active' | 'disabled'): Promise<NamedEndpoint> =>
      change(actor, (transaction) => switchEndpoint(transaction, actor, requireId(id), status)),
    /** Deletes an endpoint; see `removeEndpoint`. */
    remove: (actor: Actor, id: string, options: { draftOnly: boolean }): Promise<string> =>
      change(actor, (transaction) => removeEndpoint(transaction, actor, requireId(id), options)),
  };
}

export type PrivateEndpointService = ReturnType<typeof createPrivateEndpointService>;
