import { operations } from '../../../contract/operations.ts';
import { presentActivity } from '../../presenters/activity.ts';
import { withoutUndefined } from '../../request/without-undefined.ts';
import { defineRoute } from '../../route.ts';

export const listActivity = defineRoute(
  operations.listActivity,
  async ({ principal, query, gone }, { services }) => {
    const question = {
      ...withoutUndefined({
        date: query.date,
        keyHash: query.api_key_hash,
        userId: query.user_id,
        workspaceId: query.workspace_id,
      }),
      byWorkspace: query.group_by === 'workspace',
    };
    const days = await services.activity.list(principal.organizationId, question, gone());
    return { status: 200, body: { data: days.map(presentActivity) } };
  },
);
