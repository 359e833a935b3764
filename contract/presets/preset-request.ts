/** Validates the chat, messages and responses requests from which presets are made. */
import { z } from 'zod';
import { chatRequest } from '../live/chat-request.ts';
import { orNull } from '../or-null.ts';
import { refuseUnstorable } from '../json-record.ts';
import { presetFields } from './preset-fields.ts';
import { text } from '../text.ts';

const tokens = orNull(z.int().min(1));
const temperature = orNull(z.number().min(0).max(2));
const topP = orNull(z.number().min(0).max(1));
const topK = orNull(z.int().min(0));
const reasoningEffort = z.enum(['max', 'xhigh', 'high', 'medium', 'low', 'minimal', 'none']);
const textBlock = z.looseObject({ type: z.literal('text'), text: text() });
const named = z.looseObject({ type: z.string(), name: orNull(z.string()) });
const jsonSchema = z.record(z.string(), z.unknown());

/** The fields of a message that the system prompt needs. The rest of a conversation is not checked. */
const promptMessage = z.looseObject({ role: z.string(), content: z.unknown().optional() });

const FROM_CHAT = {
  messages: true,
  stream: true,
  stream_options: true,
  metadata: true,
  debug: true,
  usage: true,
} as const;

/** The body of POST /presets/{slug}/chat/completions: a chat request, including the conversation. */
export const presetChatRequest = z
  .looseObject(chatRequest.shape)
  .omit({ ...FROM_CHAT, preset: true })
  .extend({
    ...presetFields,
    reasoning: orNull(z.looseObject({ effort: orNull(reasoningEffort) })),
    reasoning_effort: orNull(reasoningEffort),
    messages: orNull(z.array(promptMessage)).meta({
      description:
        'Not stored, except for the system and developer messages, which become the system prompt.',
    }),
  })
  .superRefine(requirePreset)
  .meta({ id: 'PresetChatRequest' });

const messagesTool = z
  .looseObject({ type: orNull(z.string()), name: orNull(z.string()) })
  .superRefine((tool, context) => {
    if (tool.type !== undefined && tool.type !== null && tool.type !== 'custom') return;
    if (!tool.name) context.addIssue({ code: 'custom', path: ['name'], message: 'is required' });
    if (typeof tool['input_schema'] === 'object' && tool['input_schema'] !== null) return;
    context.addIssue({ code: 'custom', path: ['input_schema'], message: 'must be an object' });
  })
  .meta({ id: 'MessagesTool' });

/** The body of POST /presets/{slug}/messages. */
export const presetMessagesRequest = z
  .looseObject({
    ...presetFields,
    messages: z.unknown().optional().meta({ description: 'Not stored.' }),
    max_tokens: tokens,
    system: orNull(z.union([text(), z.array(textBlock)], 'must be text or a list of text blocks')),
    temperature,
    top_p: topP,
    top_k: topK,
    stop_sequences: orNull(z.array(text()).max(64)),
    tools: orNull(z.array(messagesTool)),
    tool_choice: orNull(
      z
        .looseObject({ type: z.enum(['auto', 'any', 'none', 'tool']), name: orNull(z.string()) })
        .refine(({ type, name }) => type !== 'tool' || name, { path: ['name'], error: 'is required' }),
    ),
    thinking: orNull(
      z.discriminatedUnion('type', [
        z.looseObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1) }),
        z.looseObject({ type: z.literal('disabled') }),
        z.looseObject({ type: z.literal('adaptive') }),
      ]),
    ),
    output_config: orNull(
      z.looseObject({
        effort: orNull(z.enum(['low', 'medium', 'high', 'xhigh', 'max'])),
        format: orNull(z.looseObject({ type: z.literal('json_schema'), schema: jsonSchema })),
      }),
    ),
    speed: orNull(z.enum(['fast', 'standard'])).meta({
      description: '`fast` is kept as `service_tier: "fast"`.',
    }),
  })
  .superRefine(requirePreset)
  .meta({ id: 'PresetMessagesRequest' });

const responsesTool = named
  .refine(({ type, name }) => type !== 'function' || name, { path: ['name'], error: 'is required' })
  .meta({ id: 'ResponsesTool' });

/** The body of POST /presets/{slug}/responses. */
export const presetResponsesRequest = z
  .looseObject({
    ...presetFields,
    input: z.unknown().optional().meta({ description: 'Not stored.' }),
    instructions: orNull(text()),
    max_output_tokens: tokens,
    temperature,
    top_p: topP,
    top_k: topK,
    frequency_penalty: orNull(z.number().min(-2).max(2)),
    presence_penalty: orNull(z.number().min(-2).max(2)),
    top_logprobs: orNull(z.int().min(0).max(20)),
    parallel_tool_calls: orNull(z.boolean()),
    modalities: orNull(z.array(z.enum(['text', 'image', 'audio']))),
    image_config: orNull(jsonSchema),
    prompt_cache_key: orNull(z.string()),
    prompt_cache_options: orNull(jsonSchema),
    reasoning: orNull(z.looseObject({ effort: orNull(reasoningEffort) })),
    text: orNull(
      z.looseObject({ format: orNull(z.looseObject({ type: z.string() })), verbosity: orNull(z.string()) }),
    ),
    tools: orNull(z.array(responsesTool)),
    tool_choice: orNull(
      z.union(
        [z.enum(['none', 'auto', 'required']), named],
        'must be one of none, auto, required, or name a tool',
      ),
    ),
  })
  .superRefine(requirePreset)
  .meta({ id: 'PresetResponsesRequest' });

interface AnyDialect {
  [field: string]: unknown;
  model?: string | null | undefined;
  models?: string[] | null | undefined;
  fallbacks?: { model: string }[] | null | undefined;
}

/** The fields of a conversation, which may be large. They are not stored, so they are not checked. */
const CONVERSATION = new Set(['messages', 'input', 'prompt']);

/**
 * Checks rules that involve several fields: the preset must be storable, name no other preset, and list models in one
 * way.
 */
function requirePreset(body: AnyDialect, context: z.RefinementCtx): void {
  const refuse = (path: (string | number)[], message: string): void =>
    context.addIssue({ code: 'custom', path, message });
  // Skipped if a field's own rule already reported an issue.
  if (context.issues.length === 0) refuseUnstorable(withoutConversation(body), context);
  if (body.fallbacks && body.models) refuse(['fallbacks'], 'cannot be combined with models');
  if (body['preset'] !== undefined && body['preset'] !== null) refuse(['preset'], 'must not be in a preset');
  for (const [path, model] of modelsOf(body)) {
    if (model.includes('@preset/')) refuse(path, 'must not name a preset');
  }
}

/**
 * Returns the body without its conversation, except for messages that become the system prompt. They keep their
 * indexes, for the paths of issues.
 */
function withoutConversation(body: AnyDialect): Record<string, unknown> {
  const { messages } = body;
  const prompts = Array.isArray(messages) ? Object.entries(messages).filter(([, one]) => isPrompt(one)) : [];
  const kept = Object.entries(body).filter(([name]) => !CONVERSATION.has(name));
  return Object.fromEntries([...kept, ['messages', Object.fromEntries(prompts)]]);
}

function isPrompt(message: unknown): boolean {
  const role = typeof message === 'object' && message !== null && 'role' in message && message.role;
  return role === 'system' || role === 'developer';
}

function modelsOf({ model, models, fallbacks }: AnyDialect): [path: (string | number)[], model: string][] {
  return [
    ...(model ? [pathed(['model'], model)] : []),
    ...(models ?? []).map((one, index) => pathed(['models', index], one)),
    ...(fallbacks ?? []).map((one, index) => pathed(['fallbacks', index, 'model'], one.model)),
  ];
}

function pathed(path: (string | number)[], model: string): [(string | number)[], string] {
  return [path, model];
}
