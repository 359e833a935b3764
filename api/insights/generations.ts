/** Shows recorded generations, and the logged content of their requests and answers. */
import type { GenerationBody, GenerationContentBody } from '../../contract/insights/generation.ts';
import type { generationOperations } from '../../contract/insights/generations.ts';
import type { LoggedBody } from '../../domain/ledger/logged-body.ts';
import type { CostParts } from '../../domain/ledger/broadcast-facts.ts';
import { type Nanos, nanosToUsd } from '../../domain/money.ts';
import type {
  FoundGeneration,
  GenerationService,
} from '../../services/insights/generations/generation-service.ts';
import type { RoutesOf } from '../http/route.ts';

export const generationRoutes: RoutesOf<typeof generationOperations, { generations: GenerationService }> = {
  /** Handles `GET /generation`: returns the usage, cost and attempts of a generation. */
  getGeneration: async ({ principal, query }, { services }) => ({
    status: 200,
    body: { data: presentGeneration(await services.generations.get(principal, query.id)) },
  }),

  /** Handles `GET /generation/content`: returns the logged input and output of a generation. */
  getGenerationContent: async ({ principal, query }, { services }) => ({
    status: 200,
    body: { data: presentGenerationContent(await services.generations.content(principal, query.id)) },
  }),
};

function presentGeneration(g: FoundGeneration): GenerationBody {
  const costUsd = nanosToUsd(g.costNanos);
  return {
    id: g.id,
    request_id: g.requestId,
    session_id: g.sessionId,
    created_at: g.createdAt.toISOString(),
    model: g.model,
    provider_name: g.providerName,
    api_type: g.apiType,
    origin: g.origin ?? '',
    app_id: g.appId,
    workspace_id: g.workspaceId,
    external_user: g.externalUser,
    preset_id: g.presetId,
    // Usage that the customer pays to its own provider is not charged here.
    usage: g.isByok ? 0 : costUsd,
    total_cost: costUsd,
    cost_by_kind: g.costByKind && presentCostByKind(g.costByKind),
    is_byok: g.isByok,
    upstream_inference_cost:
      g.upstreamCostNanos === null ? (g.isByok ? costUsd : null) : nanosToUsd(g.upstreamCostNanos),
    data_region: g.dataRegion,
    streamed: g.streamed,
    cancelled: g.status === 'cancelled',
    finish_reason: g.finishReason,
    native_finish_reason: g.nativeFinishReason,
    latency: g.latencyMs,
    generation_time: g.generationMs,
    tokens_prompt: g.tokensPrompt,
    tokens_completion: g.tokensCompletion,
    native_tokens_prompt: g.tokensPrompt,
    native_tokens_completion: g.tokensCompletion,
    native_tokens_reasoning: g.tokensReasoning,
    native_tokens_cached: g.tokensCacheRead,
    native_tokens_completion_images: g.tokensCompletionImage,
    num_media_prompt: g.mediaPrompt,
    num_media_completion: g.mediaCompletion,
    service_tier: g.serviceTier,
    http_referer: g.httpReferer,
    user_agent: g.userAgent,
    upstream_id: g.upstreamId,
    provider_responses: g.responses,
    ...UNSUPPORTED,
  };
}

function presentCostByKind(parts: CostParts): NonNullable<GenerationBody['cost_by_kind']> {
  const usd = (nanos: Nanos | undefined) => (nanos === undefined ? null : nanosToUsd(nanos));
  return {
    prompt: usd(parts.prompt),
    completion: usd(parts.completion),
    cache_read: usd(parts.cacheRead),
    cache_write: usd(parts.cacheWrite),
    reasoning: usd(parts.reasoning),
    request: usd(parts.request),
    media: usd(parts.media),
  };
}

/** Required fields that this gateway does not support or measure. */
const UNSUPPORTED = {
  cache_discount: null,
  moderation_latency: null,
  num_input_audio_prompt: null,
  num_search_results: null,
  num_fetches: null,
  web_search_engine: null,
  router: null,
};

function presentGenerationContent({ input, output, error }: LoggedBody): GenerationContentBody {
  return { input, output, error: error === null ? null : presentLoggedError(error) };
}

function presentLoggedError(
  error: NonNullable<LoggedBody['error']>,
): NonNullable<GenerationContentBody['error']> {
  return {
    message: error.message,
    status: error.status,
    provider_name: error.providerName,
    previous_errors: error.previousErrors.map(({ code, message, providerName }) => ({
      code,
      message,
      provider_name: providerName,
      raw: null,
    })),
    raw: null,
  };
}
