import { z } from 'zod';
import { parseRequest } from '../parse-request.ts';
import { UpstreamError } from '../reply.ts';
import type { Fields } from '../request-body.ts';

const part = z.looseObject({ type: z.string(), text: z.string().optional() });
const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.union([z.string(), z.array(part)]).nullish(),
});
const tool = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({ name: z.string(), parameters: z.record(z.string(), z.unknown()).optional() }),
});
const count = z.int().min(1).nullish();

const chatRequest = z.looseObject({
  model: z.string(),
  messages: z.array(message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  n: z.int().min(1).max(8).nullish(),
  max_tokens: count,
  max_completion_tokens: count,
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required']),
      z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }),
    ])
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: z
    .looseObject({
      type: z.string(),
      json_schema: z.looseObject({ schema: z.record(z.string(), z.unknown()).optional() }).optional(),
    })
    .nullish(),
});

export type ChatRequest = z.output<typeof chatRequest>;
export type ChatMessage = ChatRequest['messages'][number];

/** Parses a chat request. Parameters of real models, such as `temperature`, are accepted and ignored. */
export function parseChatRequest({ values }: Fields, models: readonly string[]): ChatRequest {
  const request = parseRequest(chatRequest, values, models);
  if (request.stream_options && !request.stream) {
    const rule = "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
    throw new UpstreamError(400, rule, { param: 'stream_options' });
  }
  return request;
}

/** Returns the text of a message. Other parts are represented by their type. */
export function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((piece) => piece.text ?? `[${piece.type}]`).join(' ');
}
