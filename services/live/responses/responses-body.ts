/** Defines the body of a request in the Responses dialect, and prepares it for routing, the log and the rankings. */
import { configOf, responsesDialect, type ResponsesFields } from '../../../domain/presets/preset-dialects.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import { toolListsIn } from '../../../providers/dialects/responses/additional-tools.ts';
import type { PromptFacts } from '../prompt/prompt-facts.ts';
import type { RoutableBody } from '../../routing/routable-body.ts';

/** A responses request that has passed the contract's validation. */
export type ResponsesBody = RoutableBody & {
  input: string | { [field: string]: unknown }[];
  instructions?: string | null | undefined;
  max_output_tokens?: number | null | undefined;
  metadata?: Record<string, string> | null | undefined;
  user?: string | null | undefined;
};

/** The facts about a request that are needed to bill and present its answer. */
export interface ReadResponse {
  /** Reads the prompt as it is sent to the target. */
  promptAt(target: Target): PromptFacts;
  /** The request without the gateway's own fields. */
  fields: Record<string, unknown>;
  /** The caller's own instructions, without those of a preset, because the answer repeats them. */
  instructions: string | null;
}

/** Returns the request in the form that routing reads, with parameters under their names in a chat. */
export function routableOf(body: ResponsesBody): RoutableBody {
  const { model, fallbacks, debug, provider, route } = body;
  // An endpoint must support tools also if only items add them.
  const tools = toolListsIn(body).length > 1 ? { tools: [] } : {};
  const config = configOf(responsesDialect, body as ResponsesFields);
  return { ...tools, ...config, model, fallbacks, debug, provider, route };
}

/** Returns the conversation in the form that the log and the rankings read. */
export function conversationOf({ instructions, input }: ResponsesBody): unknown[] {
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  return instructions ? [{ role: 'system', content: instructions }, ...items] : items;
}
