import { operations } from '../../../contract/operations.ts';
import { presentApiKey } from './present-api-key.ts';
import { defineRoute } from '../../http/route.ts';

export const getKey = defineRoute(operations.getKey, async ({ principal, params }, { services }) => ({
  status: 200,
  body: { data: presentApiKey(await services.apiKeys.get(principal.organizationId, params.hash)) },
}));
