/** Handles `GET /keys/{hash}`: returns one API key of the organization, without its secret. */
import { operations } from '../../../contract/operations.ts';
import { presentApiKey } from './present-api-key.ts';
import { defineRoute } from '../../http/route.ts';

export const getKey = defineRoute(operations.getKey, async ({ principal, params }, { services }) => ({
  status: 200,
  body: { data: presentApiKey(await services.apiKeys.get(principal.organizationId, params.hash)) },
}));
