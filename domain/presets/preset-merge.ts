import { invalidRequest } from '../errors.ts';
import { systemPromptOfChat } from './preset-prompt.ts';
import type { PresetConfig } from './preset.ts';

type Fields = Readonly<Record<string, unknown>>;
type Message = { readonly role: string; readonly content?: unknown };

export interface PresetReference {
  /** As the caller wrote it: it may name nothing. */
  slug: string;
  /** The model that stands before `@preset/`; absent, the preset's own is meant. */
  model?: string;
}

const MARK = '@preset/';

/**
 * Which preset a request names, by `@preset/<slug>` or `<author>/<model>@preset/<slug>` in `model`, or by
 * `preset`. Null for most requests. 400 when the two name different ones.
 */
export function parsePresetReference(model: unknown, preset: unknown): PresetReference | null {
  const at = typeof model === 'string' ? model.indexOf(MARK) : -1;
  if (typeof model !== 'string' || at < 0) {
    if (typeof preset !== 'string') return null;
    return typeof model === 'string' ? { slug: preset, model } : { slug: preset };
  }
  const slug = model.slice(at + MARK.length);
  if (typeof preset === 'string' && preset !== slug) {
    throw invalidRequest({ path: 'body.preset', message: 'must be the preset that model names' });
  }
  return at === 0 ? { slug } : { slug, model: model.slice(0, at) };
}

/** Two names for one thing: a request that uses one does not want the preset's other. */
const RIVALS: Readonly<Record<string, string>> = {
  max_tokens: 'max_completion_tokens',
  max_completion_tokens: 'max_tokens',
  reasoning: 'reasoning_effort',
  reasoning_effort: 'reasoning',
};

/**
 * The chat request that a request and its preset make together (wire: §4). What the request has wins, field by
 * field and not deeper; a null of the request says nothing. Tools are united. `models` without `model` replaces
 * the preset's `model` too, which would be tried first otherwise. The result names no preset, shares its values
 * with what it was made from, and changes neither.
 */
export function mergePreset(
  config: PresetConfig,
  systemPrompt: string | null,
  body: Fields,
): Record<string, unknown> {
  const request = withoutNulls(body);
  const kept: Record<string, unknown> = { ...config };
  for (const name of Object.keys(request)) {
    const rival = Object.hasOwn(RIVALS, name) ? RIVALS[name] : undefined;
    if (rival !== undefined) delete kept[rival];
  }
  if (!isSet(request['model']) && isSet(request['models'])) delete kept['model'];
  if (isSet(request['route']) && isSet(kept['provider'])) {
    kept['provider'] = withoutPartition(kept['provider']);
  }
  // Not Object.assign: a field called `__proto__` would be more than a field.
  const merged: Record<string, unknown> = { ...kept, ...request };
  delete merged['preset'];
  setModel(merged, config, request);
  if (Array.isArray(config['tools']) && Array.isArray(request['tools'])) {
    merged['tools'] = uniteTools(config['tools'], request['tools']);
  }
  if (systemPrompt !== null && Array.isArray(request['messages'])) {
    merged['messages'] = withSystemPrompt(systemPrompt, request['messages'] as Message[]);
  }
  return merged;
}

function withoutNulls(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** The request says it by the older name, `route`, which would give way to today's. */
function withoutPartition(provider: unknown): unknown {
  const sort = fieldOf(provider, 'sort');
  if (fieldOf(sort, 'partition') === undefined) return provider;
  const { partition: _partition, ...rest } = sort as Fields;
  return { ...(provider as Fields), sort: rest };
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function setModel(merged: Record<string, unknown>, config: PresetConfig, request: Fields): void {
  const { model } = parsePresetReference(request['model'], request['preset']) ?? {};
  if (!isSet(request['model'])) return;
  if (model !== undefined) merged['model'] = model;
  else if (isSet(config['model'])) merged['model'] = config['model'];
  else delete merged['model'];
}

/** The preset's order, each tool as the request has it if it does; then what only the request has. */
function uniteTools(ofPreset: unknown[], ofRequest: unknown[]): unknown[] {
  const wanted = new Map(ofRequest.map((tool) => [identityOf(tool), tool]));
  const known = new Set(ofPreset.map(identityOf));
  return [
    ...ofPreset.map((tool) => wanted.get(identityOf(tool)) ?? tool),
    ...ofRequest.filter((tool) => !known.has(identityOf(tool))),
  ];
}

/** Functions, which lie flat in some dialects, are told apart by their name; of these server tools a request may have several, under names. */
const NAMED_SERVER_TOOLS = new Set(['openrouter:advisor', 'openrouter:subagent']);

function identityOf(tool: unknown): string {
  const type = fieldOf(tool, 'type');
  const isFunction = type === 'function' || fieldOf(tool, 'input_schema') !== undefined;
  if (isFunction) return `function ${String(fieldOf(fieldOf(tool, 'function') ?? tool, 'name'))}`;
  if (typeof type === 'string' && NAMED_SERVER_TOOLS.has(type)) {
    return `${type} ${String(fieldOf(fieldOf(tool, 'parameters'), 'name'))}`;
  }
  return String(type);
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Fields)[name] : undefined;
}

/**
 * The preset's prompt comes first. A system message that the request begins with is joined to it, since many
 * models take only one, and only at the top. A request that says the prompt already stays as it is, so that one
 * that a preset was made from can go on as it was.
 */
function withSystemPrompt(prompt: string, messages: readonly Message[]): readonly Message[] {
  if (systemPromptOfChat(messages)?.startsWith(prompt)) return messages;
  const [first, ...rest] = messages;
  if (first?.role !== 'system' && first?.role !== 'developer') {
    return [{ role: 'system', content: prompt }, ...messages];
  }
  const { content } = first;
  const joined = Array.isArray(content)
    ? [{ type: 'text', text: prompt }, ...content]
    : [prompt, content].filter((text) => typeof text === 'string' && text !== '').join('\n\n');
  return [{ ...first, content: joined }, ...rest];
}
