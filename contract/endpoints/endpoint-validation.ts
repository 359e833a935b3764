/** Declares the operation that validates a private endpoint. */
import { z } from 'zod';
import { MAX_OPEN_VALIDATIONS } from '../../domain/endpoints/validation.ts';
import { answerWith } from '../answers.ts';
import { defineOperations } from '../operation.ts';
import { privateEndpointOperation, privateEndpointParams } from './private-endpoints.ts';
import { validationExample, validationResult } from './validation.ts';

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
});
