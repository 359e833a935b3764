/** Handles `GET /end-users`: lists the end users that the organization registered. */
import { operations } from '../../../contract/operations.ts';
import { presentEndUser } from './present-end-user.ts';
import { withoutUndefined } from '../../http/request/without-undefined.ts';
import { defineRoute } from '../../http/route.ts';

export const listEndUsers = defineRoute(
  operations.listEndUsers,
  async ({ principal, query: { user, include_inactive: includeInactive, ...page } }, { services }) => {
    const filter = withoutUndefined({ user, includeInactive });
    const { endUsers, totalCount } = await services.endUsers.list(principal.organizationId, filter, page);
    return { status: 200, body: { data: endUsers.map(presentEndUser), total_count: totalCount } };
  },
);
