/** Turns a day's usage of a model at a provider into an entry of the body of `GET /activity`. */
import type { ActivityItemBody } from '../../../contract/insights/activity.ts';
import type { DayOfActivity } from '../../../services/insights/activity-service.ts';

export function presentActivity(day: DayOfActivity): ActivityItemBody {
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
    ...(day.workspaceId === undefined ? {} : { workspace_id: day.workspaceId }),
  };
}
