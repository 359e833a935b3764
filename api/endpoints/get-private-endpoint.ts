/** Handles `GET /private-endpoints/{id}`: returns a private endpoint with its last validation. */
import { operations } from '../../contract/operations.ts';
import { presentPrivateEndpoint } from './present-private-endpoint.ts';
import { presentValidation } from './present-validation.ts';
import { defineRoute } from '../http/route.ts';

export const getPrivateEndpoint = defineRoute(
  operations.getPrivateEndpoint,
  async ({ principal, params }, { services }) => {
    const endpoint = await services.privateEndpoints.get(principal.organizationId, params.id);
    const validation = presentValidation(await services.validations.latestOf(endpoint));
    return { status: 200, body: { data: { ...presentPrivateEndpoint(endpoint), validation } } };
  },
);
