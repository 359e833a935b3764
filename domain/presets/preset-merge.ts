/** Parses the reference to a preset in a request, and merges the preset's configuration into the request. */
import { invalidRequest } from '../errors.ts';
import { systemPromptOfChat } from './preset-prompt.ts';
import type { PresetConfig } from './preset.ts';

type Fields = Readonly<Record<string, unknown>>;
type Message = { readonly role: string; readonly content?: unknown };

export interface PresetReference {
  /** The slug as the caller wrote it; the preset may not exist. */
  slug: string;
  /** The model before `@preset/`; absent: the preset's own model. */
  model?: string;
}

const MARK = '@preset/';

/**
 * Returns the preset that a request names: by `@preset/<slug>` or `<author>/<model>@preset/<slug>` in `model`, or by
 * `preset`. Returns null for most requests. Throws a 400 if the two name different presets.
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

/** Maps a field to another one with the same meaning. If a request has the one, the preset's other one is dropped. */
const EQUIVALENT_FIELDS: Readonly<Record<string, string>> = {
  max_tokens: 'max_completion_tokens',
  max_completion_tokens: 'max_tokens',
  reasoning: 'reasoning_effort',
  reasoning_effort: 'reasoning',
};

/**
 * Merges a chat request with its preset. A field of the request replaces the preset's whole field; null fields count as
 * absent. Tools are merged. `models` without `model` also replaces the preset's `model`, which would otherwise be tried
 * first.
 *
 * The result names no preset. It shares values with its inputs and changes neither.
 */
export function mergePreset(
  config: PresetConfig,
  systemPrompt: string | null,
  body: Fields,
): Record<string, unknown> {
  const request = withoutNulls(body);
  const kept: Record<string, unknown> = { ...config };
  for (const name of Object.keys(request)) {
    const equivalent = Object.hasOwn(EQUIVALENT_FIELDS, name) ? EQUIVALENT_FIELDS[name] : undefined;
    if (equivalent !== undefined) delete kept[equivalent];
  }
  if (!isSet(request['model']) && isSet(request['models'])) delete kept['model'];
  if (isSet(request['route']) && isSet(kept['provider'])) {
    kept['provider'] = withoutPartition(kept['provider']);
  }
  // Object.assign would treat a field called `__proto__` as the prototype.
  const merged: Record<string, unknown> = { ...kept, ...request };
  delete merged['preset'];
  setModel(merged, config, request);
  if (Array.isArray(config['tools']) && Array.isArray(request['tools'])) {
    merged['tools'] = mergeTools(config['tools'], request['tools']);
  }
  if (systemPrompt !== null && Array.isArray(request['messages'])) {
    merged['messages'] = withSystemPrompt(systemPrompt, request['messages'] as Message[]);
  }
  return merged;
}

function withoutNulls(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** Removes the preset's partition, which would otherwise take precedence over the request's deprecated `route`. */
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

/**
 * Merges tools in the preset's order. A tool of the request replaces the preset's tool of the same name; the request's
 * other tools follow.
 */
function mergeTools(ofPreset: unknown[], ofRequest: unknown[]): unknown[] {
  const wanted = new Map(ofRequest.map((tool) => [identityOf(tool), tool]));
  const known = new Set(ofPreset.map(identityOf));
  return [
    ...ofPreset.map((tool) => wanted.get(identityOf(tool)) ?? tool),
    ...ofRequest.filter((tool) => !known.has(identityOf(tool))),
  ];
}

/**
 * Server tools that a request may contain several times under different names. Functions are identified by name too.
 */
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
 * Puts the preset's prompt first. A leading system message of the request is appended to it, since many models take
 * only one, at the top. A request that already begins with the prompt stays as it is. The request that a preset was
 * made from can therefore be sent again.
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
