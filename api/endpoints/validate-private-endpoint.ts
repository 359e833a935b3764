/**
 * Handles `POST /private-endpoints/{id}/validate`: checks the upstream of a private endpoint and returns the result.
 */
import { operations } from '../../contract/operations.ts';
import { actorOf } from '../../domain/principal.ts';
import { presentValidationResult } from './present-validation.ts';
import { defineRoute } from '../http/route.ts';
import { admitEndpointId } from './admit-endpoint-id.ts';

export const validatePrivateEndpoint = defineRoute(
  operations.validatePrivateEndpoint,
  async ({ principal, client, params, body, gone }, { services }) => {
    const validation = await services.validations.validate(
      actorOf(principal, client),
      params.id,
      body.workspace_id,
      gone(),
    );
    return { status: 200, body: { data: presentValidationResult(validation) } };
  },
  admitEndpointId,
);
