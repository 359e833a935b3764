/** Lists the daily usage of an organization. */
import type { ActivityItemBody, activityOperations } from '../../contract/insights/activity.ts';
import type { ActivityService, DayOfActivity } from '../../services/insights/activity-service.ts';
import type { RoutesOf } from '../http/route.ts';

export const activityRoutes: RoutesOf<typeof activityOperations, { activity: ActivityService }> = {
  /** Handles `GET /activity`: returns the organization's daily usage of the last 30 days, by model and provider. */
  listActivity: async ({ principal, query, gone }, { services }) => {
    const activityQuery = {
      date: query.date,
      keyHash: query.api_key_hash,
      userId: query.user_id,
      workspaceId: query.workspace_id,
      byWorkspace: query.group_by === 'workspace',
    };
    const days = await services.activity.list(principal.organizationId, activityQuery, gone());
    return { status: 200, body: { data: days.map(presentActivity) } };
  },
};

/** Turns a day's usage of a model at a provider into an entry of the body of `GET /activity`. */
function presentActivity(day: DayOfActivity): ActivityItemBody {
  return {
    date: day.date,
    model: day.model,
    model_permaslug: day.permaslug,
    endpoint_id: day.endpointId,
    provider_name: day.providerName,
    usage: day.usageUsd,
    byok_usage_inference: day.byokUsageUsd,
    requests: day.requests,
    prompt_tokens: day.promptTokens,
    completion_tokens: day.completionTokens,
    reasoning_tokens: day.reasoningTokens,
    cached_tokens: day.cachedTokens,
    workspace_id: day.workspaceId,
  };
}
