import { newUuid } from '../../domain/ids.ts';
import type { PrivateEndpointStatus } from '../../domain/endpoints/private-endpoint.ts';
import { createDatabase } from './open-database.ts';
import { createEndpointStore } from '../../db/endpoints/endpoint-store.ts';
import { digestOf } from '../../services/endpoints/digest-of.ts';
import type { Caller } from './caller.ts';
import type { Gateway } from './gateway.ts';

/** A private endpoint as GET shows it. */
export interface WireEndpoint {
  id: string;
  status: PrivateEndpointStatus;
  base_url: string | null;
  declared_region: string | null;
  declared_zdr: boolean | null;
  declared_parameters: string[] | null;
  model_slug: string;
  pricing: Record<'prompt' | 'completion' | 'cache_read' | 'cache_write', string>;
  provider_slug: string;
  upstream_model_id: string;
  validation: { state: string; passed: boolean | null; is_current: boolean } | null;
}

/** The bootstrap options of a gateway whose organization may have private endpoints. */
export const ENTITLED = { entitlements: ['private_endpoints'] };

export const UNKNOWN_ID = '4d1f6c55-0a7e-4a5c-9d6e-0a8f5f3f7b21';

/** A draft that is accepted, for a server of the customer's own. */
export function endpointDraft(fields: object = {}): object {
  return {
    model_permaslug: 'local/echo-1',
    provider_slug: 'openai-compatible',
    upstream_model_id: 'echo-tuned',
    base_url: 'https://vllm.example/v1',
    ...fields,
  };
}

export function postEndpoint(
  manager: Caller,
  body: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  return manager.call('POST', '/private-endpoints', { body, headers });
}

/** Creates an endpoint and returns it as GET shows it. */
export async function makeEndpoint(manager: Caller, fields: object = {}): Promise<WireEndpoint> {
  const { id } = await dataOf<{ id: string }>(await postEndpoint(manager, endpointDraft(fields)), 201);
  return getEndpoint(manager, id);
}

export async function getEndpoint(manager: Caller, id: string): Promise<WireEndpoint> {
  return dataOf(await manager.call('GET', `/private-endpoints/${id}`));
}

export function patchEndpoint(manager: Caller, id: string, body: object): Promise<Response> {
  return manager.call('PATCH', `/private-endpoints/${id}`, { body });
}

export function putPricing(manager: Caller, id: string, pricing: object): Promise<Response> {
  return manager.call('PUT', `/private-endpoints/${id}/pricing`, { body: { pricing } });
}

/** Makes one of the calls that take no body. */
export function actOn(
  manager: Caller,
  id: string,
  action: 'activate' | 'enable' | 'disable',
): Promise<Response> {
  return manager.call('POST', `/private-endpoints/${id}/${action}`);
}

export function deleteEndpoint(manager: Caller, id: string, query = ''): Promise<Response> {
  return manager.call('DELETE', `/private-endpoints/${id}${query}`);
}

export async function listEndpoints(manager: Caller): Promise<Record<string, unknown>[]> {
  return dataOf(await manager.call('GET', '/private-endpoints'));
}

/** Records a run of the checks for the endpoint as it is at this moment. */
export async function addValidation(
  { config, database, organizationId, workspaceId }: Gateway,
  endpointId: string,
  { state = 'passed', hoursAgo = 0 }: { state?: 'running' | 'passed' | 'failed'; hoursAgo?: number } = {},
): Promise<void> {
  const connection = createDatabase({ url: config.database.url, poolMax: 1 });
  const endpoint = await createEndpointStore(connection.knex)
    .find(organizationId, endpointId)
    .finally(() => connection.close());
  if (endpoint === null) throw new Error('no such endpoint');
  await database.query(
    `insert into private_endpoint_validations
       (id, endpoint_id, workspace_id, digest, activates, state, created_at, finished_at)
     values ($1, $2, $3, $4, false, $5, clock_timestamp() - $6 * interval '1 hour',
       case when $5 = 'running' then null else clock_timestamp() - $6 * interval '1 hour' end)`,
    [newUuid(), endpointId, workspaceId, digestOf(endpoint), state, hoursAgo],
  );
}

/** Creates an endpoint that serves requests. */
export async function makeActiveEndpoint(gateway: Gateway, manager: Caller): Promise<WireEndpoint> {
  const { id } = await makeEndpoint(manager);
  await addValidation(gateway, id);
  await dataOf(await actOn(manager, id, 'activate'));
  return getEndpoint(manager, id);
}

export async function dataOf<T>(response: Response, status = 200): Promise<T> {
  const text = await response.text();
  if (response.status !== status) throw new Error(`${response.status}: ${text}`);
  return (JSON.parse(text) as { data: T }).data;
}
