/** Handles `GET /byok/{id}`: describes one of the customer's own keys of providers, without its secret. */
import { operations } from '../../contract/operations.ts';
import { presentByokKey } from './present-byok-key.ts';
import { defineRoute } from '../http/route.ts';

export const getByokKey = defineRoute(operations.getByokKey, async ({ principal, params }, { services }) => {
  const credential = await services.credentials.get(principal.organizationId, params.id);
  return { status: 200, body: { data: presentByokKey(credential) } };
});
