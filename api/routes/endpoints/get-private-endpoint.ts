import { operations } from '../../../contract/operations.ts';
import { presentEndpointValidation } from '../../presenters/endpoint-validation.ts';
import { presentPrivateEndpoint } from '../../presenters/private-endpoint.ts';
import { defineRoute } from '../../route.ts';

export const getPrivateEndpoint = defineRoute(
  operations.getPrivateEndpoint,
  async ({ principal, params }, { services }) => {
    const { endpoint, validation } = await services.privateEndpoints.get(principal.organizationId, params.id);
    const shown = validation && presentEndpointValidation(validation);
    return { status: 200, body: { data: { ...presentPrivateEndpoint(endpoint), validation: shown } } };
  },
);
