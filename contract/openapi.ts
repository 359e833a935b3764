/** Describes all operations and webhooks in OpenAPI. */
import { documentedConfigs } from './broadcast/destination-configs.ts';
import { daemonErrorResponses, errorResponses, scimErrorResponses } from './openapi-errors.ts';
import { presentPaths, sharedParameters } from './openapi-operations.ts';
import { createSchemaCollector, type SchemaCollector } from './openapi-schemas.ts';
import type { OperationDefinition } from './operation.ts';
import { operations } from './operations.ts';
import type { WebhookEventDefinition } from './webhooks/webhook-event.ts';
import { webhookEvents } from './webhook-events.ts';

type Json = Record<string, unknown>;

/** The credentials that operations take. */
const SECURITY_SCHEMES: Json = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key. Most operations take it here.' },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'An API key, in the header of Anthropic’s clients.',
  },
  sluice: {
    type: 'apiKey',
    in: 'header',
    name: 'Sluice-Authorization',
    description: '`Bearer` and the intern’s own key.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'sluice-session',
    description:
      'A session of the console; `__Host-sluice-session` where the API is reached by https. Calls other than GET also send `Sluice-CSRF-Token`, and calls that generate send the hash of a regular key in `Sluice-Acting-Key`.',
  },
  scim: { type: 'http', scheme: 'bearer', description: 'A SCIM token of the organization.' },
};

/** Returns the OpenAPI 3.1 description of all operations, for docs/openapi.json and `/docs`. */
export function buildOpenApi(): Json {
  const schemas = createSchemaCollector();
  for (const config of documentedConfigs) schemas.request(config);
  const all: OperationDefinition[] = Object.values(operations);
  const paths = presentPaths(all, schemas);
  const webhooks = Object.fromEntries(
    Object.entries(webhookEvents).map(([type, event]) => [
      type,
      { post: presentWebhook(type, event, schemas) },
    ]),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice',
      version: '1.0.0',
      description:
        'A self-hosted gateway to AI models. Every answer carries `x-request-id`; send your own to find a request in the logs.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/api/v1' }],
    tags: [...new Set(all.map(({ tag }) => tag))].map((name) => ({ name })),
    security: [{ bearer: [] }, { apiKey: [] }],
    paths,
    webhooks,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: sharedParameters,
      headers: {
        RequestId: { description: 'Identifies the request in the logs.', schema: { type: 'string' } },
      },
      responses: {
        ...errorResponses(schemas),
        ...scimErrorResponses(schemas),
        ...daemonErrorResponses(schemas),
      },
      schemas: schemas.components(),
    },
  };
}

const DELIVERY =
  'Signed according to Standard Webhooks 1.0.0, in `webhook-id`, `webhook-timestamp` and `webhook-signature`. Any 2xx within 15 seconds is a success; a 410 stops the delivery.';

function presentWebhook(
  type: string,
  { summary, description, schema, example }: WebhookEventDefinition,
  schemas: SchemaCollector,
): Json {
  return {
    operationId: `on.${type}`,
    tags: ['Webhooks'],
    summary,
    description: `${description} ${DELIVERY}`,
    security: [],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: schemas.response(schema), example } },
    },
    responses: {
      '2XX': { description: 'Received.' },
      '410': { description: 'Stops the delivery: there are no further attempts.' },
    },
  };
}
