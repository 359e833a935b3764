/** Converts chat, messages and responses requests to the configuration that a preset stores. */
import { KEPT_IN_PRESETS, NOT_KEPT_IN_PRESETS } from '../gateway-fields.ts';
import type { PresetConfig } from './preset.ts';
import { toChatTool, toChatToolChoice, type DialectTool } from './preset-tools.ts';

/** Fields of a chat request. */
type ChatFields = Record<string, unknown>;
type Json = Readonly<Record<string, unknown>>;

/** The fields that have the same form in all three dialects, but another form in a stored chat request. */
export interface SharedFields {
  /** Models to try in this order after `model`; used instead of `models`. */
  fallbacks?: readonly { model: string }[] | null | undefined;
  provider?: Json | null | undefined;
  /** Deprecated: `fallback` is `provider.sort.partition: "model"`, `sort` is `"none"`. */
  route?: 'fallback' | 'sort' | null | undefined;
}

export interface MessagesFields extends SharedFields {
  output_config?: { effort?: string | null | undefined; format?: Json | null | undefined } | null | undefined;
  service_tier?: string | null | undefined;
  speed?: 'fast' | 'standard' | null | undefined;
  stop_sequences?: readonly string[] | null | undefined;
  thinking?: { type: string; budget_tokens?: number | undefined } | null | undefined;
  tool_choice?: DialectTool | null | undefined;
  tools?: readonly DialectTool[] | null | undefined;
}

export interface ResponsesFields extends SharedFields {
  max_output_tokens?: number | null | undefined;
  text?: { format?: Json | null | undefined; verbosity?: string | null | undefined } | null | undefined;
  tool_choice?: string | DialectTool | null | undefined;
  tools?: readonly DialectTool[] | null | undefined;
  top_logprobs?: number | null | undefined;
}

/** The conversions of fields to a chat request. They receive values other than null. */
type Spellings<Fields> = {
  [Name in keyof Fields]-?: (value: NonNullable<Fields[Name]>, body: Fields) => ChatFields;
};

export interface Dialect<Fields> {
  spellings: Spellings<Fields>;
  /** The fields that are kept unchanged: only these, or all but these. */
  asTheyAre: { only: ReadonlySet<string> } | { allBut: ReadonlySet<string> };
}

const shared: Spellings<SharedFields> = {
  fallbacks: (fallbacks) => (fallbacks.length === 0 ? {} : { models: fallbacks.map(({ model }) => model) }),
  provider: (provider, { route }) => withPartition(provider, route),
  route: (route, { provider }) => withPartition(provider ?? {}, route),
};

/** The dialect of chat requests. They are stored unchanged, including fields that only the upstream knows. */
export const chatDialect: Dialect<SharedFields> = {
  spellings: shared,
  asTheyAre: { allBut: NOT_KEPT_IN_PRESETS },
};

/**
 * The dialect of messages requests. Fields without a chat equivalent are dropped: `context_management`, `safeguards`,
 * `deferred_tools`, `output_config.task_budget`, `thinking.display`.
 */
export const messagesDialect: Dialect<MessagesFields> = {
  spellings: {
    ...shared,
    output_config: ({ format }, body) => ({ ...reasoningOf(body), ...(format ? toNamedSchema(format) : {}) }),
    service_tier: (tier) => ({ service_tier: tier === 'standard_only' ? 'default' : tier }),
    speed: (speed, body) => (speed === 'fast' && !body.service_tier ? { service_tier: 'fast' } : {}),
    stop_sequences: (stop) => ({ stop }),
    thinking: (_thinking, body) => reasoningOf(body),
    tool_choice: (choice) => ({
      tool_choice: toChatToolChoice(choice),
      ...(typeof choice['disable_parallel_tool_use'] === 'boolean'
        ? { parallel_tool_calls: !choice['disable_parallel_tool_use'] }
        : {}),
    }),
    tools: (tools) => ({ tools: tools.map(toChatTool) }),
  },
  asTheyAre: { only: new Set([...KEPT_IN_PRESETS, 'max_tokens', 'temperature', 'top_p', 'top_k']) },
};

/**
 * The dialect of responses requests. Fields without a chat equivalent are dropped: `background`, `include`,
 * `max_tool_calls`, `previous_response_id`, `safety_identifier`, `store`, `truncation`.
 */
export const responsesDialect: Dialect<ResponsesFields> = {
  spellings: {
    ...shared,
    max_output_tokens: (tokens) => ({ max_tokens: tokens }),
    text: ({ format, verbosity }) => ({
      ...(format ? toResponseFormat(format) : {}),
      ...(verbosity ? { verbosity } : {}),
    }),
    tool_choice: (choice) => ({ tool_choice: toChatToolChoice(choice) }),
    tools: (tools) => ({ tools: tools.map(toChatTool) }),
    // A chat request also needs `logprobs: true` for them.
    top_logprobs: (count) => ({ logprobs: true, top_logprobs: count }),
  },
  asTheyAre: {
    only: new Set([
      ...KEPT_IN_PRESETS,
      'frequency_penalty',
      'image_config',
      'modalities',
      'parallel_tool_calls',
      'presence_penalty',
      'prompt_cache_key',
      'prompt_cache_options',
      'reasoning',
      'service_tier',
      'temperature',
      'top_k',
      'top_p',
    ]),
  },
};

/** Returns a request's configuration as fields of a chat request. Null fields count as absent. */
export function configOf<Fields extends object>(dialect: Dialect<Fields>, body: Fields): PresetConfig {
  const { spellings, asTheyAre } = dialect;
  const spelled = new Map<string, unknown>();
  for (const [name, value] of Object.entries(body)) {
    if (value === null || value === undefined) continue;
    if (Object.hasOwn(spellings, name)) {
      const spell = spellings[name as keyof Fields] as (value: unknown, body: Fields) => ChatFields;
      for (const [chatName, chatValue] of Object.entries(spell(value, body)))
        spelled.set(chatName, chatValue);
    } else if ('only' in asTheyAre ? asTheyAre.only.has(name) : !asTheyAre.allBut.has(name)) {
      spelled.set(name, value);
    }
  }
  return Object.fromEntries(spelled);
}

/** Converts the deprecated `route`. An explicit `provider.sort.partition` takes precedence. */
function withPartition(provider: Json, route: SharedFields['route']): ChatFields {
  if (!route) return { provider };
  const { sort } = provider;
  const partition = route === 'fallback' ? 'model' : 'none';
  const today = typeof sort === 'string' ? { by: sort } : ((sort ?? {}) as Json);
  return { provider: { ...provider, sort: { ...today, partition: today['partition'] ?? partition } } };
}

/** Combines the two places that set the reasoning effort; a chat request has one. */
function reasoningOf({ thinking, output_config: output }: MessagesFields): ChatFields {
  if (thinking?.type === 'disabled') return { reasoning: { effort: 'none' } };
  const reasoning = {
    ...(output?.effort ? { effort: output.effort } : {}),
    ...(thinking?.type === 'enabled' ? { max_tokens: thinking.budget_tokens } : {}),
    ...(thinking?.type === 'adaptive' && !output?.effort ? { enabled: true } : {}),
  };
  return Object.keys(reasoning).length === 0 ? {} : { reasoning };
}

/**
 * Converts a schema to a named, strict one. The dialect always enforces schemas, but a chat request must state `name`
 * and `strict`.
 */
function toNamedSchema({ schema }: Json): ChatFields {
  const named = { name: 'response', schema, strict: true };
  return { response_format: { type: 'json_schema', json_schema: named } };
}

function toResponseFormat({ type, ...rest }: Json): ChatFields {
  return { response_format: type === 'json_schema' ? { type, json_schema: rest } : { type, ...rest } };
}
