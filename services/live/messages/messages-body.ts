import { mergePreset } from '../../../domain/presets/preset-merge.ts';
import type { PresetConfig } from '../../../domain/presets/preset.ts';
import { Losses } from '../../routing/cannot-carry.ts';
import { type Fields, isFields } from '../dialects/fields.ts';
import { toMessagesOptions } from '../dialects/messages/chat-options.ts';
import { toMessagesTools } from '../dialects/messages/chat-tools.ts';
import type { RoutableBody } from '../../routing/routable-body.ts';
import { withoutGatewayFields } from '../upstream-request.ts';

/** A messages request that the contract let through. */
export type MessagesBody = RoutableBody & {
  messages: { role: string; content: unknown; [field: string]: unknown }[];
  system?: unknown;
  max_tokens?: number | null | undefined;
  metadata?: { user_id?: string | null | undefined; [field: string]: unknown } | null | undefined;
  fallbacks?: { model: string }[] | null | undefined;
  user?: string | null | undefined;
};

/** Returns a messages request completed by a preset, whose prompt comes before the request's own `system`. */
export function mergeMessagesPreset(
  config: PresetConfig,
  systemPrompt: string | null,
  request: MessagesBody,
): MessagesBody {
  const merged = mergePreset(inMessagesWords(config), null, request) as MessagesBody;
  const system = withPrompt(systemPrompt, request.system);
  return system === undefined ? merged : { ...merged, system };
}

/**
 * A preset is kept in the words of a chat request. What Anthropic has no word for keeps that of the chat, so that an
 * endpoint of chat is told.
 */
function inMessagesWords(config: PresetConfig): PresetConfig {
  const losses = new Losses();
  const told = { ...toMessagesOptions(config, losses), ...toMessagesTools(config, losses) };
  const unsaid = losses.fields().map((name) => [name, config[name]]);
  return { ...told, ...Object.fromEntries(unsaid) };
}

/** The preset's comes first, unless the request says it already. */
function withPrompt(prompt: string | null, system: unknown): unknown {
  if (prompt === null) return undefined;
  if (Array.isArray(system)) return [{ type: 'text', text: prompt }, ...system];
  if (typeof system !== 'string' || system === '') return prompt;
  return system.startsWith(prompt) ? system : `${prompt}\n\n${system}`;
}

/** What the upstream may be told: neither the gateway's fields nor who the end user is. */
export function fieldsOf(body: MessagesBody): Fields {
  return withoutEndUser(withoutGatewayFields(body));
}

/** `metadata.user_id` is another spelling of `user`. */
export function withoutEndUser({ metadata, ...fields }: Fields): Fields {
  const { user_id: _, ...others } = isFields(metadata) ? metadata : {};
  return Object.keys(others).length === 0 ? fields : { ...fields, metadata: others };
}

/** The names of a chat request, by which the catalog says what endpoints heed. */
const CHAT_NAMES: Readonly<Record<string, readonly string[]>> = {
  stop_sequences: ['stop'],
  thinking: ['reasoning'],
};
/** Heeded everywhere, or by nobody. */
const UNROUTED = new Set(['system', 'betas', 'speed', 'inference_geo']);

/** The request as routing reads it: another spelling of `models`, and the fields by their names in a chat. */
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
