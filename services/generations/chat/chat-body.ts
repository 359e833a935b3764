import { AppError } from '../../../domain/errors.ts';
import { mergePreset, parsePresetReference } from '../../../domain/preset-merge.ts';
import { type Fields, isFields } from '../../dialects/fields.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import type { CompletedCall } from '../pipeline/live-operation.ts';
import type { RoutableBody } from '../routable-body.ts';
import { withoutGatewayFields } from '../upstream-request.ts';

/** A chat request that the contract let through. */
export type ChatBody = RoutableBody & {
  messages: { content?: unknown; tool_calls?: unknown }[];
  max_tokens?: number | null | undefined;
  max_completion_tokens?: number | null | undefined;
  n?: number | null | undefined;
  stream_options?: { include_usage?: boolean | undefined } | null | undefined;
  user?: string | null | undefined;
};

/** Returns the request as its preset completes it, if it names one. Throws 404 for a preset that cannot be used. */
export async function withChatPreset(
  { presets }: Pick<LiveDeps, 'presets'>,
  call: LiveCall<ChatBody>,
): Promise<CompletedCall<ChatBody>> {
  const reference = parsePresetReference(call.body.model, call.body['preset']);
  if (reference === null) return { call, presetId: null };
  const preset = await presets.find(call.principal.workspaceId, reference.slug);
  if (preset === null) throw new AppError('not_found', { reason: 'preset_not_found' });
  const body = mergePreset(preset.config, preset.systemPrompt, call.body) as ChatBody;
  return { call: { ...call, body }, presetId: preset.presetId };
}

/** Returns the fields that an upstream may be sent, `include_reasoning` in its newer spelling. */
export function fieldsOf(body: ChatBody): Fields {
  const fields = withoutGatewayFields(body);
  if (body['include_reasoning'] === false) fields['reasoning'] = withoutThoughts(body['reasoning']);
  return fields;
}

function withoutThoughts(reasoning: unknown): Fields {
  const asked = isFields(reasoning) ? reasoning : {};
  return { ...asked, exclude: asked['exclude'] ?? true };
}
