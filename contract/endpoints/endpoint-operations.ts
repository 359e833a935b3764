import { listByokKeys, createByokKey, getByokKey, updateByokKey, deleteByokKey } from './byok-keys.ts';
import {
  listPrivateEndpoints,
  createPrivateEndpoint,
  getPrivateEndpoint,
  updatePrivateEndpoint,
  deletePrivateEndpoint,
  setPrivateEndpointPricing,
  activatePrivateEndpoint,
  enablePrivateEndpoint,
  disablePrivateEndpoint,
} from './private-endpoints.ts';
import { validatePrivateEndpoint } from './validation-operation.ts';

/** Lists the operations on private endpoints and own keys of providers. */
export const endpointOperations = {
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
