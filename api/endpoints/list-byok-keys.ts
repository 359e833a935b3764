/** Handles `GET /byok`: lists the customer's own keys of providers that a workspace may use. */
import { operations } from '../../contract/operations.ts';
import { presentByokKey } from './present-byok-key.ts';
import { withoutUndefined } from '../http/request/without-undefined.ts';
import { defineRoute } from '../http/route.ts';

export const listByokKeys = defineRoute(
  operations.listByokKeys,
  async ({ principal, query }, { services }) => {
    const { limit, offset, workspace_id: workspaceId, provider: providerSlug } = query;
    const { credentials, totalCount } = await services.credentials.list(
      principal.organizationId,
      withoutUndefined({ limit, offset, workspaceId, providerSlug }),
    );
    return { status: 200, body: { data: credentials.map(presentByokKey), total_count: totalCount } };
  },
);
