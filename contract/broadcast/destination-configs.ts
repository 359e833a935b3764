/** Defines and checks the settings that each observability tool needs. */
import { z } from 'zod';
import type { DestinationConfig } from '../../domain/broadcast/destination-config.ts';
import { DESTINATION_TYPES, type DestinationType } from '../../domain/broadcast/destination.ts';
import type { Issue } from '../../domain/errors.ts';
import { describeIssue, issuesOf } from '../issues.ts';
import {
  baseUrl,
  dsn,
  fullUrl,
  headers,
  headerText,
  name,
  objectKey,
  objectKeyTemplate,
  s3Bucket,
  s3Region,
  secret,
  snowflakeAccount,
  snowflakeName,
  sqlName,
} from './config-fields.ts';

const instanceId = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/, 'must be letters, digits, - and _');
const mlApp = z
  .string()
  .regex(
    /^(?!.*__)[\p{Ll}\p{N}\p{Lo}_.:/-]{1,193}$/u,
    'must be up to 193 lower-case letters, digits, and _ . : / -, without two underscores in a row',
  )
  .refine((value) => !value.endsWith('_'), 'must not end with an underscore');

/** The configuration of each destination type. Unknown fields are rejected. */
export const configSchemas = {
  arize: z.strictObject({
    apiKey: secret,
    spaceKey: secret,
    modelId: name,
    baseUrl: baseUrl.default('https://otlp.arize.com'),
    headers,
  }),
  braintrust: z.strictObject({
    apiKey: secret,
    projectId: headerText,
    baseUrl: baseUrl.default('https://api.braintrust.dev'),
    headers,
  }),
  clickhouse: z.strictObject({
    host: baseUrl,
    database: sqlName,
    username: headerText,
    password: secret,
    table: sqlName.default('OPENROUTER_TRACES'),
    headers,
  }),
  datadog: z.strictObject({
    apiKey: secret,
    mlApp,
    url: baseUrl.default('https://api.datadoghq.com'),
    headers,
  }),
  grafana: z.strictObject({
    apiKey: secret,
    instanceId,
    baseUrl: baseUrl.default('https://otlp-gateway-prod-us-west-0.grafana.net'),
    headers,
  }),
  langfuse: z.strictObject({
    publicKey: secret,
    secretKey: secret,
    baseUrl: baseUrl.default('https://us.cloud.langfuse.com'),
    headers,
  }),
  langsmith: z.strictObject({
    apiKey: secret,
    project: headerText.default('main'),
    endpoint: baseUrl.default('https://api.smith.langchain.com'),
    workspaceId: headerText.optional(),
    headers,
  }),
  newrelic: z.strictObject({ licenseKey: secret, region: z.enum(['us', 'eu']).default('us'), headers }),
  opik: z.strictObject({ apiKey: secret, workspace: headerText, projectName: headerText, headers }),
  'otel-collector': z.strictObject({ endpoint: fullUrl, headers }),
  posthog: z.strictObject({
    apiKey: secret,
    endpoint: baseUrl.default('https://us.i.posthog.com'),
    headers,
  }),
  ramp: z.strictObject({
    apiKey: secret,
    baseUrl: baseUrl.default('https://api.ramp.com/developer/v1/ai-usage/openrouter'),
    headers,
  }),
  s3: z.strictObject({
    bucketName: s3Bucket,
    accessKeyId: secret,
    secretAccessKey: secret,
    sessionToken: secret.optional(),
    region: s3Region.optional(),
    endpoint: baseUrl.optional(),
    prefix: objectKey.default('openrouter-traces'),
    pathTemplate: objectKeyTemplate.default('{prefix}/{date}'),
    headers,
  }),
  sentry: z.strictObject({ dsn, otlpEndpoint: fullUrl, headers }),
  snowflake: z.strictObject({
    account: snowflakeAccount,
    token: secret,
    database: snowflakeName.default('SNOWFLAKE_LEARNING_DB'),
    schema: snowflakeName.default('PUBLIC'),
    table: snowflakeName.default('OPENROUTER_TRACES'),
    warehouse: snowflakeName.default('COMPUTE_WH'),
    headers,
  }),
  weave: z.strictObject({
    apiKey: secret,
    entity: name,
    project: name,
    baseUrl: baseUrl.default('https://trace.wandb.ai'),
    headers,
  }),
  webhook: z.strictObject({ url: fullUrl, method: z.enum(['POST', 'PUT']).default('POST'), headers }),
} as const satisfies Record<DestinationType, z.ZodObject>;

/** The name under which the API reference has the configuration of a type, for requests. */
export const newConfigId = (type: DestinationType): string => `NewObservability${wordsOf(type)}Config`;

/** Returns the type's name as part of a schema's name: `OtelCollector`. */
export const wordsOf = (type: DestinationType): string =>
  type
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** The configurations as the API reference shows them for requests. A request itself is checked by its type. */
export const documentedConfigs: readonly z.ZodObject[] = DESTINATION_TYPES.map((type) =>
  z.strictObject(configSchemas[type].shape).meta({ id: newConfigId(type), title: type }),
);

/** Checks a configuration and fills in its defaults. `issues` is empty if the configuration is valid. */
export function parseDestinationConfig(
  type: DestinationType,
  config: unknown,
): { config: DestinationConfig; issues: [] } | { config?: undefined; issues: Issue[] } {
  const schema: z.ZodObject = configSchemas[type];
  const result = schema.safeParse(config, { error: describeIssue });
  if (!result.success) return { issues: issuesOf('body.config', result.error) };
  // The schema of each type produces the configuration of that type.
  const data: unknown = result.data;
  return { config: { type, config: data } as DestinationConfig, issues: [] };
}
