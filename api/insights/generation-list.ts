/** Lists recorded generations. */
import type {
  GenerationListItemBody,
  generationListOperations,
} from '../../contract/insights/generation-list.ts';
import { toMoment } from '../../contract/moment.ts';
import { nanosToUsd, usdToNanos } from '../../domain/money.ts';
import type { GenerationList, GenerationPage } from '../../services/insights/generations/list-generations.ts';
import type { RoutesOf } from '../http/route.ts';

export const generationListRoutes: RoutesOf<
  typeof generationListOperations,
  { generationList: GenerationList }
> = {
  /** Handles `GET /generations`: returns a page of generations, the newest first. */
  listGenerations: async ({ principal, query, gone }, { services }) => {
    const filter = {
      limit: query.limit,
      cursor: query.cursor,
      start: query.start === undefined ? undefined : toMoment(query.start),
      end: query.end === undefined ? undefined : toMoment(query.end),
      workspaceId: query.workspace_id,
      keyHash: query.api_key_hash,
      modelName: query.model,
      provider: query.provider,
      apiType: query.api_type,
      status: query.status,
      userId: query.user_id,
      externalUser: query.external_user,
      sessionId: query.session_id,
      minCost: query.min_cost === undefined ? undefined : usdToNanos(query.min_cost),
      maxCost: query.max_cost === undefined ? undefined : usdToNanos(query.max_cost),
    };
    const { generations, next, scannedTo } = await services.generationList.page(principal, filter, gone());
    return {
      status: 200,
      body: { data: generations.map(presentListed), next, scanned_to: scannedTo.toISOString() },
    };
  },
};

function presentListed(g: GenerationPage['generations'][number]): GenerationListItemBody {
  const costUsd = nanosToUsd(BigInt(g.costNanos));
  return {
    id: g.id,
    created_at: g.createdAt.toISOString(),
    workspace_id: g.workspaceId,
    api_key_hash: g.keyHash,
    api_key_name: g.keyName,
    model: g.model,
    provider_name: g.providerName,
    api_type: g.apiType,
    status: g.status,
    finish_reason: g.finishReason,
    // Usage that the customer pays to its own provider is not charged here.
    usage: g.isByok ? 0 : costUsd,
    total_cost: costUsd,
    is_byok: g.isByok,
    streamed: g.streamed,
    latency: g.latencyMs,
    generation_time: g.generationMs,
    tokens_prompt: g.tokensPrompt,
    tokens_completion: g.tokensCompletion,
    native_tokens_reasoning: g.tokensReasoning,
    native_tokens_cached: g.tokensCacheRead,
    user_id: g.userId,
    external_user: g.externalUser,
    preset_id: g.presetId,
  };
}
