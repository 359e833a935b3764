import assert from 'node:assert/strict';
import type { DestinationConfigs } from '../../../../domain/broadcast/destination-config.ts';
import type { ToolAnswer, ToolRequest } from './fake-tool.ts';
import { attributeOf, decodeRequest } from './small-encoder.ts';
import type { Vendor } from './vendor.ts';

interface OtlpVendor {
  path: string;
  contentType: 'application/json' | 'application/x-protobuf';
  headers?: Record<string, string>;
  resource?: Record<string, string>;
  names: string;
  answer?: ToolAnswer;
  secrets?: string[];
  fixedOrigin?: string;
}

function vendor<Type extends keyof DestinationConfigs>(
  type: Type,
  config: (origin: string) => DestinationConfigs[Type],
  rules: OtlpVendor,
): Vendor {
  return {
    configure: (origin) => ({ type, config: config(origin) }) as ReturnType<Vendor['configure']>,
    ...(rules.fixedOrigin === undefined ? {} : { fixedOrigin: rules.fixedOrigin }),
    secrets: rules.secrets ?? [],
    authHeaders: Object.keys(rules.headers ?? {}),
    answer(request) {
      checkExport(request, rules);
      return rules.answer ?? { status: 200, headers: { 'content-type': rules.contentType }, body: '' };
    },
  };
}

function checkExport(request: ToolRequest, rules: OtlpVendor): void {
  assert.equal(request.method, 'POST');
  assert.equal(request.path, rules.path);
  assert.equal(request.headers['content-type'], rules.contentType);
  for (const [name, value] of Object.entries(rules.headers ?? {})) {
    assert.equal(request.headers[name], value, name);
  }
  const { resourceSpans } = decodeRequest(request.body, rules.contentType);
  assert.equal(resourceSpans.length, 1);
  const { resource, scopeSpans } = resourceSpans[0]!;
  assert.equal(attributeOf(resource.attributes, 'service.name'), 'sluice');
  for (const [name, value] of Object.entries(rules.resource ?? {})) {
    assert.equal(attributeOf(resource.attributes, name), value, name);
  }
  const spans = scopeSpans.flatMap((scope) => scope.spans);
  assert.ok(spans.length > 0);
  for (const span of spans) assert.equal(attributeOf(span.attributes, 'test.names'), rules.names);
}

const JSON_TYPE = 'application/json';
const PROTOBUF = 'application/x-protobuf';

export const otlpVendors: Record<string, Vendor> = {
  arize: vendor(
    'arize',
    (baseUrl) => ({ apiKey: 'arize-key-1234', spaceKey: 'arize-space-1234', modelId: 'shop', baseUrl }),
    {
      path: '/v1/traces',
      contentType: PROTOBUF,
      headers: { 'arize-space-id': 'arize-space-1234', 'arize-api-key': 'arize-key-1234' },
      resource: { 'openinference.project.name': 'shop', model_id: 'shop' },
      names: 'openinference',
      secrets: ['arize-key-1234', 'arize-space-1234'],
    },
  ),
  braintrust: vendor(
    'braintrust',
    (baseUrl) => ({ apiKey: 'sk-braintrust-1', projectId: 'project-1', baseUrl }),
    {
      path: '/otel/v1/traces',
      contentType: PROTOBUF,
      headers: { authorization: 'Bearer sk-braintrust-1', 'x-bt-parent': 'project_id:project-1' },
      names: 'braintrust',
      secrets: ['sk-braintrust-1'],
    },
  ),
  grafana: vendor('grafana', (baseUrl) => ({ apiKey: 'glc_grafana_1', instanceId: '4711', baseUrl }), {
    path: '/otlp/v1/traces',
    contentType: JSON_TYPE,
    headers: { authorization: `Basic ${base64('4711:glc_grafana_1')}` },
    names: 'openrouter',
    secrets: ['glc_grafana_1', base64('4711:glc_grafana_1')],
  }),
  langfuse: vendor(
    'langfuse',
    (baseUrl) => ({ publicKey: 'pk-lf-public', secretKey: 'sk-lf-secret', baseUrl }),
    {
      path: '/api/public/otel/v1/traces',
      contentType: JSON_TYPE,
      headers: {
        authorization: `Basic ${base64('pk-lf-public:sk-lf-secret')}`,
        'x-langfuse-ingestion-version': '4',
      },
      names: 'langfuse',
      secrets: ['pk-lf-public', 'sk-lf-secret', base64('pk-lf-public:sk-lf-secret')],
    },
  ),
  langsmith: vendor(
    'langsmith',
    (endpoint) => ({ apiKey: 'lsv2_key_1234', project: 'main', endpoint, workspaceId: 'workspace-9' }),
    {
      path: '/otel/v1/traces',
      contentType: PROTOBUF,
      headers: {
        'x-api-key': 'lsv2_key_1234',
        'langsmith-project': 'main',
        'x-tenant-id': 'workspace-9',
      },
      names: 'langsmith',
      secrets: ['lsv2_key_1234'],
    },
  ),
  // The answer to success is empty, without a type.
  newrelic: vendor('newrelic', () => ({ licenseKey: 'nr-license-1234', region: 'us' }), {
    path: '/v1/traces',
    contentType: PROTOBUF,
    headers: { 'api-key': 'nr-license-1234' },
    names: 'openrouter',
    answer: { status: 200 },
    secrets: ['nr-license-1234'],
    fixedOrigin: 'https://otlp.nr-data.net',
  }),
  opik: vendor('opik', () => ({ apiKey: 'opik-key-1234', workspace: 'team', projectName: 'shop' }), {
    path: '/opik/api/v1/private/otel/v1/traces',
    contentType: PROTOBUF,
    headers: { authorization: 'opik-key-1234', 'comet-workspace': 'team', projectname: 'shop' },
    names: '',
    secrets: ['opik-key-1234'],
    fixedOrigin: 'https://www.comet.com',
  }),
  'otel-collector': vendor('otel-collector', (origin) => ({ endpoint: `${origin}/custom/v1/traces` }), {
    path: '/custom/v1/traces',
    contentType: JSON_TYPE,
    names: 'openrouter',
  }),
  ramp: vendor(
    'ramp',
    (origin) => ({ apiKey: 'ramp-key-1234', baseUrl: `${origin}/developer/v1/ai-usage/openrouter` }),
    {
      path: '/developer/v1/ai-usage/openrouter',
      contentType: JSON_TYPE,
      headers: { authorization: 'Bearer ramp-key-1234' },
      names: 'openrouter',
      secrets: ['ramp-key-1234'],
    },
  ),
  sentry: vendor(
    'sentry',
    (origin) => ({
      dsn: 'https://sentrypublickey@o1.ingest.us.sentry.io/1',
      otlpEndpoint: `${origin}/api/1/integration/otlp/v1/traces`,
    }),
    {
      path: '/api/1/integration/otlp/v1/traces',
      contentType: JSON_TYPE,
      headers: { 'x-sentry-auth': 'sentry sentry_key=sentrypublickey' },
      names: 'openrouter',
      secrets: ['sentrypublickey'],
    },
  ),
  weave: vendor(
    'weave',
    (baseUrl) => ({ apiKey: 'wandb-key-1234', entity: 'team', project: 'shop', baseUrl }),
    {
      path: '/otel/v1/traces',
      contentType: PROTOBUF,
      headers: { 'wandb-api-key': 'wandb-key-1234' },
      resource: { 'wandb.entity': 'team', 'wandb.project': 'shop' },
      names: '',
      secrets: ['wandb-key-1234'],
    },
  ),
  webhook: vendor('webhook', (origin) => ({ url: `${origin}/hook`, method: 'POST' }), {
    path: '/hook',
    contentType: JSON_TYPE,
    names: 'openrouter',
    answer: { status: 204 },
  }),
};

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
