/** Defines the body of a chat request, and derives the fields that upstreams receive. */
import { type Fields, isFields } from '../../../domain/fields.ts';
import type { RoutableBody } from '../../routing/routable-body.ts';
import { withoutGatewayFields } from '../../../providers/upstream-request.ts';

/** A chat request that has passed the contract's validation. */
export type ChatBody = RoutableBody & {
  messages: { content?: unknown; tool_calls?: unknown }[];
  max_tokens?: number | null | undefined;
  max_completion_tokens?: number | null | undefined;
  n?: number | null | undefined;
  stream_options?: { include_usage?: boolean | null | undefined } | null | undefined;
  user?: string | null | undefined;
};

/**
 * Returns the fields that may be sent to an upstream. Translates `include_reasoning` to `reasoning.exclude`, its newer
 * form.
 */
export function fieldsOf(body: ChatBody): Fields {
  const fields = withoutGatewayFields(body);
  if (body['include_reasoning'] === false) fields['reasoning'] = withoutThoughts(body['reasoning']);
  return fields;
}

function withoutThoughts(reasoning: unknown): Fields {
  const requested = isFields(reasoning) ? reasoning : {};
  return { ...requested, exclude: requested['exclude'] ?? true };
}
