import type { Deviation } from '../../domain/catalog/deviations.ts';
import type { ModelReasoning } from '../../domain/catalog/model-facts.ts';
import { effortOfBudget } from '../../domain/catalog/reasoning-share.ts';
import { hasContent, UnsupportedFields } from '../../domain/unsupported-fields.ts';
import type { TextRequest } from '../chat-adapter.ts';

/**
 * Replaces fields that OpenAI rejects, although other servers of its wire accept them (reference of `POST
 * /v1/chat/completions`, read 2026-11-21):
 * - `max_tokens` is deprecated, and reasoning models reject it (`unsupported_parameter`); all models accept its
 *   successor `max_completion_tokens`.
 * - `reasoning` is unknown; its `effort` is called `reasoning_effort`, which also replaces a token budget.
 *
 * Throws UnsupportedFieldsError for tools at an endpoint that takes none while its model reasons.
 *
 * System messages stay: models that expect the `developer` role accept them as such.
 */
export function toOpenAi(
  request: TextRequest,
  deviations: readonly Deviation[],
  reasoning?: ModelReasoning,
): TextRequest {
  const sent = withOwnNames(request);
  if (deviations.includes('no_reasoned_tools')) refuseReasonedTools(sent, reasoning);
  return sent;
}

function withOwnNames(request: TextRequest): TextRequest {
  if (request['max_tokens'] === undefined && request['reasoning'] === undefined) return request;
  const { max_tokens: maxTokens, reasoning, ...rest } = request;
  const effort = effortOf(reasoning, rest['max_completion_tokens'] ?? maxTokens);
  return {
    ...rest,
    ...(maxTokens == null ? {} : { max_completion_tokens: rest['max_completion_tokens'] ?? maxTokens }),
    ...(effort == null ? {} : { reasoning_effort: rest['reasoning_effort'] ?? effort }),
  };
}

/**
 * Refuses tools with reasoning before they are sent. The vendor answers them with a 400, "Function tools with
 * reasoning_effort are not supported", and also if the request leaves the effort to a model that reasons by default
 * (github.com/BerriAI/litellm/pull/34569 and github.com/openai/openai-openapi/issues/541, read 2026-11-28).
 */
function refuseReasonedTools(sent: TextRequest, reasoning: ModelReasoning | undefined): void {
  const name = hasContent(sent['tools']) ? 'tools' : 'functions';
  if (!hasContent(sent[name])) return;
  if ((sent['reasoning_effort'] ?? reasoning?.defaultEffort) === 'none') return;
  const takesNone = reasoning?.supportedEfforts?.includes('none') === true;
  const issues = new UnsupportedFields();
  const otherwise = takesNone ? ', or set the reasoning effort to `none`' : '';
  issues.add(
    `body.${name}`,
    `cannot be combined with reasoning by the provider of this model; use POST /responses${otherwise}`,
  );
  issues.throwIfAny();
}

function effortOf(reasoning: unknown, maxTokens: unknown): unknown {
  if (typeof reasoning !== 'object' || reasoning === null) return undefined;
  const { effort, max_tokens: budget } = reasoning as { effort?: unknown; max_tokens?: unknown };
  if (effort !== undefined && effort !== null) return effort;
  return typeof budget === 'number' ? effortOfBudget(budget, maxTokens) : undefined;
}
