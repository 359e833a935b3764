/** Activates, enables, disables, prices and deletes private endpoints, each with an audit entry. */
import { createAuditStore } from '../../db/accounts/audit-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { createEndpointStore, type NamedEndpoint } from '../../db/endpoints/endpoint-store.ts';
import { createValidationStore } from '../../db/endpoints/validation-store.ts';
import { VALIDATION_FRESH_MS } from '../../domain/endpoints/validation.ts';
import { AppError } from '../../domain/errors.ts';
import type { Actor } from '../../domain/principal.ts';
import { requireFound } from '../require-found.ts';
import { digestOf } from './digest-of.ts';
import type { CatalogRows } from '../../db/catalog/catalog-store.ts';
import { completePricing, type StatedPricing } from '../../domain/endpoints/complete-pricing.ts';
import { findMatchingPublicEndpoint } from './catalog-offer.ts';

/**
 * Activates a draft, which then serves requests. Throws 409 unless its current configuration passed a validation
 * within the last day.
 */
export async function activateEndpoint(
  transaction: Handle,
  actor: Actor,
  id: string,
): Promise<NamedEndpoint> {
  const store = createEndpointStore(transaction);
  const endpoint = requireFound(await store.lock(actor.organizationId, id));
  if (endpoint.status !== 'draft') throw conflict(`is ${endpoint.status}: only drafts can be activated`);
  const digest = digestOf(endpoint);
  if (!(await store.activate(endpoint.id, { digest, maxAgeMs: VALIDATION_FRESH_MS }))) {
    throw await notValidated(transaction, endpoint.id, digest);
  }
  await audit(transaction, actor, 'activatePrivateEndpoint', endpoint.id);
  return { ...endpoint, status: 'active' };
}

/**
 * Enables or disables an endpoint that was activated before. Changes nothing when the endpoint has that status already.
 */
export async function switchEndpoint(
  transaction: Handle,
  actor: Actor,
  id: string,
  status: 'active' | 'disabled',
): Promise<NamedEndpoint> {
  const store = createEndpointStore(transaction);
  const endpoint = requireFound(await store.lock(actor.organizationId, id));
  if (endpoint.status === 'draft') throw conflict('is a draft: activate it first');
  if (endpoint.status === status) return endpoint;
  await store.setStatus(endpoint.id, status);
  const action = status === 'active' ? 'enablePrivateEndpoint' : 'disablePrivateEndpoint';
  await audit(transaction, actor, action, endpoint.id);
  return { ...endpoint, status };
}

/** Deletes an endpoint and returns its id. Requests that it is serving continue. */
export async function removeEndpoint(
  transaction: Handle,
  actor: Actor,
  id: string,
  { draftOnly }: { draftOnly: boolean },
): Promise<string> {
  const store = createEndpointStore(transaction);
  const endpoint = requireFound(await store.lock(actor.organizationId, id));
  if (draftOnly && endpoint.status !== 'draft') throw conflict(`is ${endpoint.status}, not a draft`);
  await store.delete(endpoint.id);
  await audit(transaction, actor, 'deletePrivateEndpoint', endpoint.id);
  return endpoint.id;
}

/** Returns the error for a missing or outdated validation. */
async function notValidated(transaction: Handle, id: string, digest: string): Promise<AppError> {
  const latest = await createValidationStore(transaction).findLatest(id, { hasEnded: true });
  const isOld = latest?.state === 'passed' && latest.digest === digest;
  return isOld
    ? conflict('passed its validation more than 24 hours ago: validate it again', 'validation_stale')
    : conflict('has not passed a validation as it is now: validate it first', 'not_validated');
}

function conflict(message: string, reason = 'conflict'): AppError {
  return new AppError('conflict', { reason, retryable: false, issues: [{ path: 'params.id', message }] });
}

async function audit(transaction: Handle, actor: Actor, action: string, id: string): Promise<void> {
  await createAuditStore(transaction).insert(actor, { action, target: `private-endpoints/${id}` });
}

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
