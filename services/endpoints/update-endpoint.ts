/** Changes the upstream of a private endpoint that is still a draft. */
import { createAuditStore } from '../../db/accounts/audit-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import {
  createEndpointStore,
  type EndpointConfiguration,
  type NamedEndpoint,
} from '../../db/endpoints/endpoint-store.ts';
import type { PrivateEndpoint } from '../../domain/endpoints/private-endpoint.ts';
import { AppError } from '../../domain/errors.ts';
import type { Actor } from '../../domain/principal.ts';
import { requireFound } from '../require-found.ts';
import { type CheckUrl, issueOfBaseUrl } from './check-base-url.ts';
import { digestOf, upstreamOf } from './digest-of.ts';
import { invalidArgument } from './check-endpoint-draft.ts';

/** A new upstream. An absent address stays unchanged; absent declarations stay while the upstream is the same. */
export type EndpointChanges = Pick<EndpointConfiguration, 'upstreamModelId'> &
  Partial<Omit<EndpointConfiguration, 'baseUrl'>> & { baseUrl?: string };

/**
 * Replaces the upstream of a draft. A changed value raises the revision, which invalidates earlier validations; equal
 * values change nothing. Throws 409 when the endpoint is no draft.
 */
export async function updateEndpoint(
  checkUrl: CheckUrl,
  transaction: Handle,
  actor: Actor,
  id: string,
  changes: EndpointChanges,
): Promise<NamedEndpoint> {
  const store = createEndpointStore(transaction);
  const endpoint = requireFound(await store.lock(actor.organizationId, id));
  if (endpoint.status !== 'draft') throw notDraft(endpoint);
  const issue = changes.baseUrl === undefined ? undefined : issueOfBaseUrl(checkUrl, changes.baseUrl);
  if (issue !== undefined) throw invalidArgument('invalid_base_url', issue);
  const configuration = changedConfiguration(endpoint, changes);
  const isChanged = digestOf({ ...endpoint, ...configuration }) !== digestOf(endpoint);
  const revision = endpoint.revision + Number(isChanged);
  await store.configure(endpoint.id, { ...configuration, revision });
  const entry = { action: 'updatePrivateEndpoint', target: `private-endpoints/${endpoint.id}` };
  await createAuditStore(transaction).insert(actor, entry);
  return requireFound(await store.find(actor.organizationId, endpoint.id));
}

/** Applies changes to a configuration. A new upstream clears the declarations that the changes lack. */
export function changedConfiguration(
  endpoint: EndpointConfiguration,
  changes: EndpointChanges,
): EndpointConfiguration {
  const upstream = {
    upstreamModelId: changes.upstreamModelId,
    baseUrl: changes.baseUrl ?? endpoint.baseUrl,
  };
  const isSame = upstreamOf(upstream) === upstreamOf(endpoint);
  const kept = isSame ? endpoint : { declaredRegion: null, declaredZdr: null, declaredParameters: null };
  const { declaredRegion, declaredZdr, declaredParameters } = changes;
  return {
    ...upstream,
    declaredRegion: declaredRegion === undefined ? kept.declaredRegion : declaredRegion,
    declaredZdr: declaredZdr === undefined ? kept.declaredZdr : declaredZdr,
    declaredParameters: declaredParameters === undefined ? kept.declaredParameters : declaredParameters,
  };
}

function notDraft({ status }: PrivateEndpoint): AppError {
  return new AppError('conflict', {
    retryable: false,
    issues: [
      { path: 'params.id', message: `is ${status}: only drafts can be changed. Create another endpoint` },
    ],
  });
}
