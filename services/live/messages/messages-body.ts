/** Defines the body of a request in Anthropic's dialect, and prepares it for presets, routing and upstreams. */
import { mergePreset } from '../../../domain/presets/preset-merge.ts';
import type { PresetConfig } from '../../../domain/presets/preset.ts';
import { UnsupportedFields } from '../../../domain/unsupported-fields.ts';
import { type Fields, isFields } from '../../../domain/fields.ts';
import { toMessagesOptions } from '../../../providers/dialects/messages/chat-options.ts';
import { toMessagesTools } from '../../../providers/dialects/messages/chat-tools.ts';
import type { RoutableBody } from '../../routing/routable-body.ts';
import { withoutGatewayFields } from '../../../providers/upstream-request.ts';

/** A messages request that has passed the contract's validation. */
export type MessagesBody = RoutableBody & {
  messages: { role: string; content: unknown; [field: string]: unknown }[];
  system?: unknown;
  max_tokens?: number | null | undefined;
  metadata?: { user_id?: string | null | undefined; [field: string]: unknown } | null | undefined;
  fallbacks?: { model: string }[] | null | undefined;
  user?: string | null | undefined;
};

/** Completes a messages request by a preset. The preset's prompt comes before the request's own `system`. */
export function mergeMessagesPreset(
  config: PresetConfig,
  systemPrompt: string | null,
  request: MessagesBody,
): MessagesBody {
  const merged = mergePreset(toMessagesFields(config), null, request) as MessagesBody;
  const system = withPrompt(systemPrompt, request.system);
  return system === undefined ? merged : { ...merged, system };
}

/**
 * Translates a preset, which is stored as a chat request. Fields without a counterpart in Anthropic's dialect keep
 * their chat names, so that a chat endpoint still gets them.
 */
function toMessagesFields(config: PresetConfig): PresetConfig {
  const unsupported = new UnsupportedFields();
  const translated = { ...toMessagesOptions(config, unsupported), ...toMessagesTools(config, unsupported) };
  const untranslated = unsupported.fields().map((name) => [name, config[name]]);
  return { ...translated, ...Object.fromEntries(untranslated) };
}

/** Returns the system prompt with the preset's first, unless the request already begins with it. */
function withPrompt(prompt: string | null, system: unknown): unknown {
  if (prompt === null) return undefined;
  if (Array.isArray(system)) return [{ type: 'text', text: prompt }, ...system];
  if (typeof system !== 'string' || system === '') return prompt;
  return system.startsWith(prompt) ? system : `${prompt}\n\n${system}`;
}

/** Returns the fields that may be sent to the upstream: without the gateway's own fields and without the end user. */
export function fieldsOf(body: MessagesBody): Fields {
  return withoutEndUser(withoutGatewayFields(body));
}

/** Removes `metadata.user_id`, which is another name of `user`. */
export function withoutEndUser({ metadata, ...fields }: Fields): Fields {
  const { user_id: _, ...others } = isFields(metadata) ? metadata : {};
  return Object.keys(others).length === 0 ? fields : { ...fields, metadata: others };
}

/** The names of these fields in a chat request, by which the catalog lists what endpoints support. */
const CHAT_NAMES: Readonly<Record<string, readonly string[]>> = {
  stop_sequences: ['stop'],
  thinking: ['reasoning'],
};
/** Fields that no endpoint or every endpoint supports, so routing ignores them. */
const UNROUTED = new Set(['system', 'betas', 'speed', 'inference_geo']);

/**
 * Returns the request in the form that routing reads: `fallbacks` as `models`, and fields under their names in a chat.
 */
export function routableOf(body: MessagesBody): RoutableBody {
  const { fallbacks, ...fields } = body;
  const routable: RoutableBody = {};
  for (const name in fields) {
    if (UNROUTED.has(name)) continue;
    for (const known of CHAT_NAMES[name] ?? namesOf(name, body)) routable[known] = fields[name];
  }
  if (fallbacks) routable.models = fallbacks.map(({ model }) => model);
  return routable;
}

function namesOf(name: string, body: MessagesBody): string[] {
  if (name !== 'output_config') return [name];
  const { effort, format } = (body['output_config'] ?? {}) as Fields;
  return [...(effort ? ['reasoning'] : []), ...(format ? ['response_format'] : [])];
}
