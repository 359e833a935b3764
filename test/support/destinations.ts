import type { DestinationType } from '../../domain/broadcast/destination.ts';
import type { Caller } from './caller.ts';

/** A destination as it is on the wire. */
export interface WireDestination {
  id: string;
  workspace_id: string;
  name: string | null;
  type: DestinationType;
  config: Record<string, unknown>;
  enabled: boolean;
  api_key_hashes: string[] | null;
  filter_rules: unknown;
  regions: string[];
  updated_at: string;
  delivery: Record<string, unknown>;
}

const apiKey = 'key-0123456789-456789';

/** The required fields of each type, with secrets that are long enough to show their ends. */
export const CONFIGS: Record<DestinationType, Record<string, unknown>> = {
  arize: { apiKey, spaceKey: 'space-0123456789-456789', modelId: 'production' },
  braintrust: { apiKey, projectId: 'project-1' },
  clickhouse: {
    host: 'https://clickhouse.example:8443',
    database: 'traces',
    username: 'writer',
    password: 'password-0123456789-456789',
  },
  datadog: { apiKey, mlApp: 'search' },
  grafana: { apiKey, instanceId: '123456' },
  langfuse: { publicKey: 'pk-lf-0123456789-456789', secretKey: 'sk-lf-0123456789-456789' },
  langsmith: { apiKey },
  newrelic: { licenseKey: 'license-0123456789-456789' },
  opik: { apiKey, workspace: 'team', projectName: 'search' },
  'otel-collector': { endpoint: 'https://collector.example/v1/traces' },
  posthog: { apiKey },
  ramp: { apiKey },
  s3: {
    bucketName: 'traces-bucket',
    accessKeyId: 'AKIA0123456789-456789',
    secretAccessKey: 'secret-access-0123456789-456789',
    sessionToken: 'session-0123456789-456789',
  },
  sentry: {
    dsn: 'https://abcdef0123456789@o1.ingest.us.sentry.io/42',
    otlpEndpoint: 'https://o1.ingest.us.sentry.io/api/42/integration/otlp/v1/traces',
  },
  snowflake: { account: 'myorg-account_1', token: 'token-0123456789-456789' },
  weave: { apiKey, entity: 'team', project: 'search' },
  webhook: { url: 'https://app.example/hooks' },
};

export function draftOf(type: DestinationType, fields: object = {}): object {
  return { name: `To ${type}`, type, config: CONFIGS[type], ...fields };
}

export function postDestination(
  manager: Caller,
  body: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  return manager.call('POST', '/observability/destinations', { body, headers });
}

export async function makeDestination(
  manager: Caller,
  fields: object = {},
  type: DestinationType = 'webhook',
): Promise<WireDestination> {
  return destinationOf(await postDestination(manager, draftOf(type, fields)), 201);
}

export function patchDestination(manager: Caller, id: string, body: object): Promise<Response> {
  return manager.call('PATCH', `/observability/destinations/${id}`, { body });
}

export async function updateDestination(manager: Caller, id: string, body: object): Promise<WireDestination> {
  return destinationOf(await patchDestination(manager, id, body));
}

export async function getDestination(manager: Caller, id: string): Promise<WireDestination> {
  return destinationOf(await manager.call('GET', `/observability/destinations/${id}`));
}

export function deleteDestination(manager: Caller, id: string): Promise<Response> {
  return manager.call('DELETE', `/observability/destinations/${id}`);
}

export async function listDestinations(
  manager: Caller,
  query = '',
): Promise<{ data: WireDestination[]; total_count: number }> {
  const response = await manager.call('GET', `/observability/destinations${query}`);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as { data: WireDestination[]; total_count: number };
}

export async function destinationOf(response: Response, status = 200): Promise<WireDestination> {
  const text = await response.text();
  if (response.status !== status) throw new Error(`${response.status}: ${text}`);
  return (JSON.parse(text) as { data: WireDestination }).data;
}
