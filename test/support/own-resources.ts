import { randomUUID } from 'node:crypto';
import { byokSecretContext } from '../../domain/endpoints/byok-credential.ts';
import { createEncryption } from '../../platform/encryption.ts';
import { createUpstream, type Upstream } from '../../upstream/create-upstream.ts';
import { originOf } from '../../services/endpoints/origin-of.ts';
import { eventually } from './eventually.ts';
import type { Gateway } from './gateway.ts';

/** A server of a customer on OpenAI's wire, with a key of its own. */
export interface CustomerServer extends Upstream {
  baseUrl: string;
  origin: string;
  apiKey: string;
}

export async function startCustomerServer(apiKey = `customer-key-${randomUUID()}`): Promise<CustomerServer> {
  const upstream = createUpstream({ apiKey });
  const { baseUrl, url } = await upstream.listen(0);
  return { ...upstream, baseUrl, origin: url, apiKey };
}

/** The part of a gateway for which something is brought. */
type OwnResourcesGateway = Pick<Gateway, 'config' | 'database' | 'organizationId' | 'workspaceId'>;

/** The columns that a test may choose. */
export type CredentialColumns = { base_url?: string | null; [column: string]: unknown };

/** Inserts a credential for OpenAI-compatible servers in the gateway's own workspace. Returns its id. */
export async function addCredential(
  gateway: OwnResourcesGateway,
  secret: string,
  columns: CredentialColumns = {},
): Promise<string> {
  const id = randomUUID();
  const sealed = createEncryption(gateway.config.encryption).seal(secret, byokSecretContext(id));
  await insert(gateway, 'byok_credentials', {
    id,
    organization_id: gateway.organizationId,
    workspace_id: gateway.workspaceId,
    provider_slug: 'openai-compatible',
    label: '****',
    disabled: false,
    is_fallback: false,
    is_required: false,
    is_byok_only: false,
    sort_order: 0,
    origin: columns.base_url == null ? null : originOf(columns.base_url),
    sealed,
    secret_version: randomUUID(),
    ...columns,
  });
  return id;
}

export type EndpointColumns = { base_url?: string | null; pricing?: object; [column: string]: unknown };

/** A price that no public endpoint of the tests has. */
const OWN_PRICE = { prompt: '0.00001', completion: '0.00002', cacheRead: '0', cacheWrite: '0' };

/** Inserts an active endpoint for `local/echo-1` on an OpenAI-compatible server. Returns its id. */
export async function addPrivateEndpoint(
  gateway: OwnResourcesGateway,
  baseUrl: string | null,
  columns: EndpointColumns = {},
): Promise<string> {
  const id = randomUUID();
  await insert(gateway, 'private_endpoints', {
    id,
    organization_id: gateway.organizationId,
    model_id: 'local/echo-1',
    provider_slug: 'openai-compatible',
    capability: 'chat',
    upstream_model_id: 'echo-1',
    base_url: baseUrl,
    status: 'active',
    ...columns,
    pricing: JSON.stringify(columns.pricing ?? OWN_PRICE),
  });
  return id;
}

async function insert(
  { database }: Pick<Gateway, 'database'>,
  table: string,
  row: Record<string, unknown>,
): Promise<void> {
  const columns = Object.keys(row);
  await database.query(
    `insert into ${table} (${columns.join(', ')}) values (${columns.map((_, i) => `$${i + 1}`).join(', ')})`,
    Object.values(row),
  );
}

/** Inserts a draft for `local/echo-1` on an OpenAI-compatible server. Returns its id. */
export function addDraft(gateway: OwnResourcesGateway, columns: EndpointColumns = {}): Promise<string> {
  const draft: EndpointColumns = {
    status: 'draft',
    upstream_model_id: 'acme/tuned-7b',
    ...columns,
  };
  return addPrivateEndpoint(gateway, columns.base_url ?? null, draft);
}

/** Waits until requests go by a change that was made with SQL. `served` asks once and tells whether they do. */
export function noticed(served: () => Promise<boolean>): Promise<unknown> {
  return eventually('the change in routing', async () => ((await served()) ? true : undefined));
}

/** Takes away all that was brought. */
export async function clearOwnResources({ database }: Gateway): Promise<void> {
  await database.query('delete from private_endpoint_validations');
  await database.query('delete from private_endpoints');
  await database.query('delete from byok_credentials');
}
