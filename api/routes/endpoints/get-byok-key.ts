import { operations } from '../../../contract/operations.ts';
import { presentByokKey } from '../../presenters/byok-key.ts';
import { defineRoute } from '../../route.ts';

export const getByokKey = defineRoute(operations.getByokKey, async ({ principal, params }, { services }) => {
  const credential = await services.credentials.get(principal.organizationId, params.id);
  return { status: 200, body: { data: presentByokKey(credential) } };
});
