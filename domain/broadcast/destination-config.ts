/** Headers that the owner adds to every request of a destination. */
interface WithHeaders {
  headers?: Record<string, string>;
}

/** The configuration of each destination type, with the defaults filled in. */
export interface DestinationConfigs {
  arize: { apiKey: string; spaceKey: string; modelId: string; baseUrl: string } & WithHeaders;
  braintrust: { apiKey: string; projectId: string; baseUrl: string } & WithHeaders;
  clickhouse: {
    host: string;
    database: string;
    username: string;
    password: string;
    table: string;
  } & WithHeaders;
  datadog: { apiKey: string; mlApp: string; url: string } & WithHeaders;
  grafana: { apiKey: string; instanceId: string; baseUrl: string } & WithHeaders;
  langfuse: { publicKey: string; secretKey: string; baseUrl: string } & WithHeaders;
  langsmith: { apiKey: string; project: string; endpoint: string; workspaceId?: string } & WithHeaders;
  newrelic: { licenseKey: string; region: 'us' | 'eu' } & WithHeaders;
  opik: { apiKey: string; workspace: string; projectName: string } & WithHeaders;
  'otel-collector': { endpoint: string } & WithHeaders;
  posthog: { apiKey: string; endpoint: string } & WithHeaders;
  ramp: { apiKey: string; baseUrl: string } & WithHeaders;
  s3: {
    bucketName: string;
    accessKeyId: string;
    secretAccessKey: string;
    sessionToken?: string;
    region?: string;
    endpoint?: string;
    prefix: string;
    pathTemplate: string;
  } & WithHeaders;
  sentry: { dsn: string; otlpEndpoint: string } & WithHeaders;
  snowflake: {
    account: string;
    token: string;
    database: string;
    schema: string;
    table: string;
    warehouse: string;
  } & WithHeaders;
  weave: { apiKey: string; entity: string; project: string; baseUrl: string } & WithHeaders;
  webhook: { url: string; method: 'POST' | 'PUT' } & WithHeaders;
}

/** A type with its configuration. */
export type DestinationConfig = {
  [Type in keyof DestinationConfigs]: { type: Type; config: DestinationConfigs[Type] };
}[keyof DestinationConfigs];
