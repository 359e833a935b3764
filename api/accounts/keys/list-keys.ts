/** Handles `GET /keys`: lists the regular API keys of a workspace. */
import { operations } from '../../../contract/operations.ts';
import { presentApiKey } from './present-api-key.ts';
import { withoutUndefined } from '../../http/request/without-undefined.ts';
import { defineRoute } from '../../http/route.ts';

export const listKeys = defineRoute(operations.listKeys, async ({ principal, query }, { services }) => {
  const keys = await services.apiKeys.list(
    principal.organizationId,
    withoutUndefined({
      includeDisabled: query.include_disabled,
      includeExpired: query.include_expired,
      offset: query.offset,
      beforeId: query.before_id,
      workspaceId: query.workspace_id,
    }),
  );
  return { status: 200, body: { data: keys.map(presentApiKey) } };
});
