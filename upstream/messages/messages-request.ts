/** Parses requests in Anthropic's dialect for the local upstream, which answers them like a chat. */
import { z } from 'zod';
import type { ChatMessage, ChatRequest } from '../chat/chat-request.ts';
import { tokenize } from '../chat/tokens.ts';
import { UpstreamError } from '../reply.ts';
import type { Fields } from '../request-body.ts';

const cacheControl = z
  .looseObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() })
  .nullish();
const block = z.looseObject({ type: z.string(), cache_control: cacheControl });
const content = z.union([z.string(), z.array(block)]);

const messagesRequest = z.looseObject({
  model: z.string(),
  max_tokens: z.int().min(1),
  messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant', 'system']), content })).min(1),
  system: content.optional(),
  stream: z.boolean().optional(),
  stop_sequences: z.array(z.string()).optional(),
  thinking: z.looseObject({ type: z.string() }).optional(),
  tools: z
    .array(z.looseObject({ name: z.string(), input_schema: z.record(z.string(), z.unknown()).optional() }))
    .optional(),
  tool_choice: z
    .looseObject({
      type: z.enum(['auto', 'any', 'tool', 'none']),
      name: z.string().optional(),
      disable_parallel_tool_use: z.boolean().optional(),
    })
    .optional(),
});

export type MessagesRequest = z.output<typeof messagesRequest>;
type Content = z.output<typeof content>;

export function parseMessagesRequest({ values }: Fields, models: readonly string[]): MessagesRequest {
  const parsed = messagesRequest.safeParse(values);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const param = issue?.path.join('.') ?? 'body';
    throw new UpstreamError(400, `${param}: ${issue?.message}`, { param, code: 'invalid_request_error' });
  }
  if (models.includes(parsed.data.model)) return parsed.data;
  throw new UpstreamError(404, `model: ${parsed.data.model}`, { code: 'not_found_error' });
}

/** Converts the request to a chat, for `compose-answer.ts`. */
export function toChat(request: MessagesRequest): ChatRequest {
  const { model, max_tokens, system, stop_sequences: stop, tools, tool_choice: choice } = request;
  const messages = request.messages.map(({ role, content }): ChatMessage => {
    const isResult = Array.isArray(content) && content[0]?.type === 'tool_result';
    return { role: isResult ? 'tool' : role, content: wordsOf(content) };
  });
  return {
    model,
    max_tokens,
    stop,
    messages: system === undefined ? messages : [{ role: 'system', content: wordsOf(system) }, ...messages],
    tools: tools?.map(({ name, input_schema: parameters = {} }) => ({
      type: 'function',
      function: { name, parameters },
    })),
    tool_choice: toChoice(choice),
    parallel_tool_calls: choice?.disable_parallel_tool_use !== true,
  };
}

function toChoice(choice: MessagesRequest['tool_choice']): ChatRequest['tool_choice'] {
  if (choice?.type === 'any') return 'required';
  if (choice?.type === 'tool') return { type: 'function', function: { name: choice.name ?? '' } };
  return choice?.type ?? 'auto';
}

function wordsOf(content: Content): string {
  if (typeof content === 'string') return content;
  return content.map((piece) => textIn(piece['text'] ?? piece['content'], piece.type)).join(' ');
}

function textIn(value: unknown, type: string): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? wordsOf(value as Content) : `[${type}]`;
}

/** Counts the tokens of the prompt that are marked for caching, by lifetime. */
export function markedTokens({ system }: MessagesRequest): { fiveMinutes: number; hour: number } {
  const counts = { fiveMinutes: 0, hour: 0 };
  for (const { cache_control: marker, ...piece } of Array.isArray(system) ? system : []) {
    if (!marker) continue;
    counts[marker.ttl === '1h' ? 'hour' : 'fiveMinutes'] += tokenize(wordsOf([piece])).length;
  }
  return counts;
}
