/** Declares the operation that validates a private endpoint. */
import { z } from 'zod';
import { MAX_OPEN_VALIDATIONS, VALIDATION_RETENTION_DAYS } from '../../domain/endpoints/validation.ts';
import { answerWith, pageOf } from '../answers.ts';
import { defineOperations } from '../operation.ts';
import { pageQuery } from '../query-values.ts';
import { privateEndpointOperation, privateEndpointParams } from './private-endpoints.ts';
import { endpointId } from './private-endpoint-examples.ts';
import { listedValidation, validationExample, validationResult } from './validation.ts';

const workspaceId = '6f2c1d9a-4b7e-4c55-9a42-1f0a8e6d3b21';

export const validationOperations = defineOperations(privateEndpointOperation, {
  validatePrivateEndpoint: {
    route: 'POST /private-endpoints/{id}/validate',
    summary: 'Validate a private endpoint',
    description:
      'Calls the upstream as requests would, and returns a 200 with the result, even if a check failed. The checks, in this order: `base_url_allowed`, `credential_ok`, `model_answers`, `stream_ok`, `usage_reported`, `parameters_ok`. The first failure ends the run. Embeddings have no `stream_ok` and no `parameters_ok`. `parameters_ok` sends all declared parameters in one request, except those that Sluice does not know; without declared parameters it sends no request. The upstream receives at most three small requests, none of them twice. A run takes two minutes at most. After 25 seconds the response is a 408, the run continues, and the field `validation` of the endpoint shows its result. A second request joins a run that tests the same configuration for the same workspace. An organization may have ' +
      `${MAX_OPEN_VALIDATIONS} runs at the same time; another is a 409 with the reason \`too_many_validations\`.`,
    params: privateEndpointParams,
    body: {
      schema: z
        .object({
          workspace_id: z.uuid().meta({
            description:
              'The validation uses the first credential of this workspace for the address of the endpoint.',
          }),
        })
        .meta({ id: 'PrivateEndpointValidationRequest' }),
      examples: {
        default: { summary: 'With the credentials of a workspace', value: { workspace_id: workspaceId } },
      },
    },
    responses: {
      200: {
        description: 'The result. See `passed`.',
        ...answerWith('PrivateEndpointValidationAnswer', validationResult, validationExample),
      },
    },
    errors: [400, 404, 408, 409, 422, 502],
  },

  listPrivateEndpointValidations: {
    route: 'GET /private-endpoint-validations',
    summary: 'List validations of private endpoints',
    description: `Lists the validations of all private endpoints that are not deleted, the newest first. When an endpoint is validated, its validations that ended more than ${VALIDATION_RETENTION_DAYS} days ago are deleted.`,
    query: z.object(pageQuery),
    responses: {
      200: {
        description: 'One page of validations.',
        ...pageOf('PrivateEndpointValidationList', listedValidation, {
          id: '9f4e2f4c-6a52-4a1b-8f0d-3f7f2f1c9a10',
          endpoint_id: endpointId,
          workspace_id: workspaceId,
          model_permaslug: 'local/echo-1',
          provider_name: 'OpenAI-compatible',
          state: 'failed',
          checks: validationExample.checks,
          created_at: '2026-01-01T00:00:00.000Z',
          finished_at: '2026-01-01T00:00:02.000Z',
        }),
      },
    },
    errors: [408],
  },
});
