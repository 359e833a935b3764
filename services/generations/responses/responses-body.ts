import { AppError } from '../../../domain/errors.ts';
import { configOf, responsesDialect, type ResponsesFields } from '../../../domain/preset-dialects.ts';
import { parsePresetReference } from '../../../domain/preset-merge.ts';
import { mergeResponsesPreset } from '../../dialects/responses/responses-preset.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import type { CompletedCall } from '../pipeline/live-operation.ts';
import type { PromptFacts } from '../prompt-facts.ts';
import type { RoutableBody } from '../routable-body.ts';

/** A responses request that the contract let through. */
export type ResponsesBody = RoutableBody & {
  input: string | { [field: string]: unknown }[];
  instructions?: string | null | undefined;
  max_output_tokens?: number | null | undefined;
  metadata?: Record<string, string> | null | undefined;
  user?: string | null | undefined;
};

/** The facts of a request that its answer is billed and presented by. */
export interface ReadResponse {
  prompt: PromptFacts;
  /** The request without the gateway's own fields. */
  fields: Record<string, unknown>;
  /** The caller's own instructions, without those of a preset, as an answer repeats them. */
  instructions: string | null;
}

/** Returns the request as routing reads it, which knows parameters by the names of a chat. */
export function routableOf(body: ResponsesBody): RoutableBody {
  const { model, fallbacks, debug, provider, route } = body;
  return { ...configOf(responsesDialect, body as ResponsesFields), model, fallbacks, debug, provider, route };
}

/** Returns the conversation as the log and the rankings read it. */
export function conversationOf({ instructions, input }: ResponsesBody): unknown[] {
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  return instructions ? [{ role: 'system', content: instructions }, ...items] : items;
}

/** Returns the request as its preset completes it, if it names one. Throws 404 for a preset that cannot be used. */
export async function withResponsesPreset(
  { presets }: Pick<LiveDeps, 'presets'>,
  call: LiveCall<ResponsesBody>,
): Promise<CompletedCall<ResponsesBody>> {
  const reference = parsePresetReference(call.body.model, call.body['preset']);
  if (reference === null) return { call, presetId: null };
  const preset = await presets.find(call.principal.workspaceId, reference.slug);
  if (preset === null) throw new AppError('not_found', { reason: 'preset_not_found' });
  const body = mergeResponsesPreset(preset.config, preset.systemPrompt, call.body) as ResponsesBody;
  return { call: { ...call, body }, presetId: preset.presetId };
}
