/**
 * Configures the adapter of every observability tool that accepts OTLP: address, headers, format and attribute names.
 */
import type { DestinationConfigs } from '../../../domain/broadcast/destination-config.ts';
import { createOtlpAdapter } from './create-otlp-adapter.ts';
import type { OtlpType } from './create-otlp-adapter.ts';
import { joinUrl } from './join-url.ts';

/** New Relic's hosts for OTLP; the licence key belongs to one region. */
const NEW_RELIC_HOSTS = { us: 'https://otlp.nr-data.net', eu: 'https://otlp.eu01.nr-data.net' };

/**
 * The tools that take OTLP, with the form that each requires by its documentation of November 2026. Compressed bodies
 * go only to tools whose documentation mentions gzip.
 */
export const otlpTypes = {
  // The project of a trace is a resource attribute. `/v1` without `/traces` answers 200 and stores nothing.
  arize: row<'arize'>({
    format: 'protobuf',
    gzip: false,
    names: ['openinference'],
    url: ({ baseUrl }) => joinUrl(baseUrl, '/v1/traces'),
    headers: ({ spaceKey, apiKey }) => ({ 'arize-space-id': spaceKey, 'arize-api-key': apiKey }),
    resource: ({ modelId }) => ({ 'openinference.project.name': modelId, model_id: modelId }),
  }),
  // A span without the header `x-bt-parent` belongs to no project.
  braintrust: row<'braintrust'>({
    format: 'protobuf',
    gzip: true,
    names: ['braintrust'],
    url: ({ baseUrl }) => joinUrl(baseUrl, '/otel/v1/traces'),
    headers: ({ apiKey, projectId }) => ({
      authorization: `Bearer ${apiKey}`,
      'x-bt-parent': `project_id:${projectId}`,
    }),
  }),
  grafana: row<'grafana'>({
    format: 'json',
    gzip: true,
    names: ['openrouter'],
    url: ({ baseUrl }) => joinUrl(baseUrl, '/otlp/v1/traces'),
    headers: ({ instanceId, apiKey }) => ({ authorization: basic(instanceId, apiKey) }),
    pauses: {
      401: 'Grafana does not accept the instance ID with this token',
      403: 'The token lacks the scope traces:write, or belongs to another instance',
      415: 'The address is not the OTLP gateway of Grafana Cloud',
    },
  }),
  // Version 4 of the ingestion shows data at once; without the header it may take ten minutes.
  langfuse: row<'langfuse'>({
    format: 'json',
    gzip: true,
    names: ['langfuse'],
    url: ({ baseUrl }) => joinUrl(baseUrl, '/api/public/otel/v1/traces'),
    headers: ({ publicKey, secretKey }) => ({
      authorization: basic(publicKey, secretKey),
      'x-langfuse-ingestion-version': '4',
    }),
  }),
  langsmith: row<'langsmith'>({
    format: 'protobuf',
    gzip: false,
    names: ['langsmith'],
    url: ({ endpoint }) => joinUrl(endpoint, '/otel/v1/traces'),
    headers: ({ apiKey, project, workspaceId }) => ({
      'x-api-key': apiKey,
      'langsmith-project': project,
      ...(workspaceId === undefined ? {} : { 'x-tenant-id': workspaceId }),
    }),
  }),
  // New Relic accepts a million bytes a payload. It cuts longer attribute texts, which breaks JSON within them.
  newrelic: row<'newrelic'>({
    format: 'protobuf',
    gzip: true,
    maxBytes: 1_000_000,
    maxValueLength: 4_095,
    names: ['openrouter'],
    url: ({ region }) => `${NEW_RELIC_HOSTS[region]}/v1/traces`,
    headers: ({ licenseKey }) => ({ 'api-key': licenseKey }),
    pauses: { 403: 'New Relic does not accept the license key in this region' },
  }),
  // The header `authorization` contains the key without a scheme.
  opik: row<'opik'>({
    format: 'protobuf',
    gzip: false,
    names: [],
    url: () => 'https://www.comet.com/opik/api/v1/private/otel/v1/traces',
    headers: ({ apiKey, workspace, projectName }) => ({
      authorization: apiKey,
      'comet-workspace': workspace,
      projectname: projectName,
    }),
  }),
  // Spans go to the configured address as it is. Some receivers accept protobuf only.
  'otel-collector': row<'otel-collector'>({
    format: 'json',
    fallbackFormat: 'protobuf',
    gzip: true,
    names: ['openrouter'],
    url: ({ endpoint }) => endpoint,
    headers: () => ({}),
  }),
  // Span events are dropped, so all content is in attributes. The key is the user part of the DSN.
  sentry: row<'sentry'>({
    format: 'json',
    gzip: false,
    names: ['openrouter'],
    url: ({ otlpEndpoint }) => otlpEndpoint,
    headers: ({ dsn }) => ({ 'x-sentry-auth': `sentry sentry_key=${URL.parse(dsn)?.username ?? ''}` }),
  }),
  weave: row<'weave'>({
    format: 'protobuf',
    gzip: false,
    names: [],
    url: ({ baseUrl }) => joinUrl(baseUrl, '/otel/v1/traces'),
    headers: ({ apiKey }) => ({ 'wandb-api-key': apiKey }),
    resource: ({ entity, project }) => ({ 'wandb.entity': entity, 'wandb.project': project }),
  }),
};

function row<Type extends keyof DestinationConfigs>(type: OtlpType<DestinationConfigs[Type]>) {
  return createOtlpAdapter<DestinationConfigs[Type]>(type);
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
