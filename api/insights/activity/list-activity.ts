/** Handles `GET /activity`: returns the organization's daily usage of the last 30 days, by model and provider. */
import { operations } from '../../../contract/operations.ts';
import { presentActivity } from './present-activity.ts';
import { withoutUndefined } from '../../http/request/without-undefined.ts';
import { defineRoute } from '../../http/route.ts';

export const listActivity = defineRoute(
  operations.listActivity,
  async ({ principal, query, gone }, { services }) => {
    const activityQuery = {
      ...withoutUndefined({
        date: query.date,
        keyHash: query.api_key_hash,
        userId: query.user_id,
        workspaceId: query.workspace_id,
      }),
      byWorkspace: query.group_by === 'workspace',
    };
    const days = await services.activity.list(principal.organizationId, activityQuery, gone());
    return { status: 200, body: { data: days.map(presentActivity) } };
  },
);
