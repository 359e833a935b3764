/** Handles `GET /scim/tokens`: lists the bearer tokens of identity providers, without their secrets. */
import { operations } from '../../contract/operations.ts';
import { presentScimToken } from './present-scim-token.ts';
import { defineRoute } from '../http/route.ts';

export const listScimTokens = defineRoute(operations.listScimTokens, async ({ principal }, { services }) => {
  const tokens = await services.scimTokens.list(principal.organizationId);
  return { status: 200, body: { data: tokens.map(presentScimToken) } };
});
