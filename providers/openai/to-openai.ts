import { effortOfBudget } from '../../domain/catalog/reasoning-share.ts';
import type { TextRequest } from '../chat-adapter.ts';

/**
 * Replaces fields that OpenAI rejects, although other servers of its wire accept them (reference of `POST
 * /v1/chat/completions`, read 2026-11-21):
 * - `max_tokens` is deprecated, and reasoning models reject it (`unsupported_parameter`); all models accept its
 *   successor `max_completion_tokens`.
 * - `reasoning` is unknown; its `effort` is called `reasoning_effort`, which also replaces a token budget.
 *
 * System messages stay: models that expect the `developer` role accept them as such.
 */
export function toOpenAi(request: TextRequest): TextRequest {
  if (request['max_tokens'] === undefined && request['reasoning'] === undefined) return request;
  const { max_tokens: maxTokens, reasoning, ...rest } = request;
  const effort = effortOf(reasoning, rest['max_completion_tokens'] ?? maxTokens);
  return {
    ...rest,
    ...(maxTokens == null ? {} : { max_completion_tokens: rest['max_completion_tokens'] ?? maxTokens }),
    ...(effort == null ? {} : { reasoning_effort: rest['reasoning_effort'] ?? effort }),
  };
}

function effortOf(reasoning: unknown, maxTokens: unknown): unknown {
  if (typeof reasoning !== 'object' || reasoning === null) return undefined;
  const { effort, max_tokens: budget } = reasoning as { effort?: unknown; max_tokens?: unknown };
  if (effort !== undefined && effort !== null) return effort;
  return typeof budget === 'number' ? effortOfBudget(budget, maxTokens) : undefined;
}
