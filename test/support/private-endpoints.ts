import { newUuid } from '../../domain/ids.ts';
import type { PrivateEndpointStatus } from '../../domain/endpoints/private-endpoint.ts';
import { createDatabase } from '../../db/connection.ts';
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
import type { CredentialRow } from '../../db/endpoints/credential-rows.ts';
import type { EndpointRow } from '../../db/endpoints/endpoint-rows.ts';
import { byokSecretContext } from '../../domain/endpoints/byok-credential.ts';
import { newUuid } from '../../domain/ids.ts';
import { createEncryption } from '../../platform/encryption.ts';
import { originOf } from '../../services/endpoints/own-connection.ts';
import type { Gateway } from './gateway.ts';

type Owner = Pick<Gateway, 'config' | 'database' | 'organizationId' | 'workspaceId'>;

const PRICING = { prompt: '0.000001', completion: '0.000002', cacheRead: '0', cacheWrite: '0' };

/** Inserts a draft for `local/echo-1` at an OpenAI-compatible server. Returns its id. */
export async function insertEndpoint(owner: Owner, change: Partial<EndpointRow> = {}): Promise<string> {
  const row = {
    id: newUuid(),
    organization_id: owner.organizationId,
    model_id: 'local/echo-1',
    provider_slug: 'openai-compatible',
    capability: 'chat',
    upstream_model_id: 'acme/tuned-7b',
    base_url: null,
    declared_region: null,
    declared_zdr: null,
    declared_parameters: null,
    pricing: PRICING,
    status: 'draft',
    ...change,
  };
  await insert(owner, 'private_endpoints', row);
  return row.id;
}

/** Inserts an enabled credential of the workspace for the address. Returns its id. */
export async function insertCredential(
  owner: Owner,
  secret: string,
  change: Partial<CredentialRow> = {},
): Promise<string> {
  const id = newUuid();
  const { base_url: baseUrl = null } = change;
  await insert(owner, 'byok_credentials', {
    id,
    organization_id: owner.organizationId,
    workspace_id: owner.workspaceId,
    provider_slug: 'openai-compatible',
    label: '****',
    disabled: false,
    is_fallback: false,
    is_required: false,
    is_byok_only: false,
    sort_order: 0,
    origin: baseUrl === null ? null : originOf(baseUrl),
    sealed: createEncryption(owner.config.encryption).seal(secret, byokSecretContext(id)),
    secret_version: newUuid(),
    ...change,
  });
  return id;
}

async function insert({ database }: Owner, table: string, row: Record<string, unknown>): Promise<void> {
  const names = Object.keys(row);
  const places = names.map((_, position) => `$${position + 1}`);
  await database.query(
    `insert into ${table} (${names.join(', ')}) values (${places.join(', ')})`,
    Object.values(row),
  );
}
