import { activatePrivateEndpoint } from './activate-private-endpoint.ts';
import { createByokKey } from './create-byok-key.ts';
import { createPrivateEndpoint } from './create-private-endpoint.ts';
import { deleteByokKey } from './delete-byok-key.ts';
import { deletePrivateEndpoint } from './delete-private-endpoint.ts';
import { getByokKey } from './get-byok-key.ts';
import { getPrivateEndpoint } from './get-private-endpoint.ts';
import { listByokKeys } from './list-byok-keys.ts';
import { listPrivateEndpoints } from './list-private-endpoints.ts';
import { setPrivateEndpointPricing } from './set-private-endpoint-pricing.ts';
import { enablePrivateEndpoint, disablePrivateEndpoint } from './switch-private-endpoint.ts';
import { updateByokKey } from './update-byok-key.ts';
import { updatePrivateEndpoint } from './update-private-endpoint.ts';
import { validatePrivateEndpoint } from './validate-private-endpoint.ts';

/** Lists the routes of the operations on private endpoints and own keys of providers. */
export const endpointRoutes = {
  listPrivateEndpoints,
  createPrivateEndpoint,
  getPrivateEndpoint,
  updatePrivateEndpoint,
  deletePrivateEndpoint,
  setPrivateEndpointPricing,
  activatePrivateEndpoint,
  enablePrivateEndpoint,
  disablePrivateEndpoint,
  listByokKeys,
  createByokKey,
  getByokKey,
  updateByokKey,
  deleteByokKey,
  validatePrivateEndpoint,
};
