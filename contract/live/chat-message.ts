/** Validates the messages of a chat request. */
import { z } from 'zod';
import { dropEveryNull, dropNulls, orNull } from '../or-null.ts';

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'] as const;

/** The required field of each known kind of part, with its inner field. */
const PART_FIELDS: Record<string, [field: string, inner: string | undefined]> = {
  text: ['text', undefined],
  image_url: ['image_url', 'url'],
  video_url: ['video_url', 'url'],
  input_audio: ['input_audio', 'data'],
};
const PART_OBJECTS = ['image_url', 'video_url', 'input_audio', 'file'];

/** Optional fields of answers, which clients send back in later requests. */
const FIELDS_OF_ANSWERS = ['refusal', 'annotations', 'audio', 'function_call', 'reasoning'] as const;

const part = z
  .looseObject({
    type: z.string().meta({ examples: ['text', 'image_url', 'input_audio', 'video_url', 'file'] }),
  })
  .overwrite(dropEveryNull(...PART_OBJECTS))
  .superRefine((value, context) => {
    const rule = Object.hasOwn(PART_FIELDS, value.type) ? PART_FIELDS[value.type] : undefined;
    if (rule === undefined) return;
    const [field, inner] = rule;
    const content = value[field];
    const text = inner === undefined ? content : isObject(content) ? content[inner] : undefined;
    if (typeof text === 'string') return;
    const path = inner === undefined ? [field] : [field, inner];
    context.addIssue({
      code: 'custom',
      path,
      message: text === undefined ? 'is required' : 'must be a string',
    });
  })
  .meta({
    id: 'ContentPart',
    description: 'A part of a message. Unknown kinds are passed on unchanged.',
  });

const toolCall = z
  .looseObject({
    id: z.string(),
    type: orNull(z.string()),
    function: orNull(z.looseObject({ name: z.string(), arguments: z.string() })),
  })
  .overwrite(dropNulls('type', 'function'))
  .meta({ id: 'ToolCall' });

/** A message in OpenAI's format. Unknown fields are passed to the upstream unchanged. */
export const chatMessage = z
  .looseObject({
    role: z.enum(ROLES),
    content: orNull(z.union([z.string(), z.array(part)], 'must be a string or a list of parts')),
    name: orNull(z.string()),
    tool_call_id: orNull(z.string()),
    tool_calls: orNull(z.array(toolCall)),
  })
  .overwrite(dropNulls('name', 'tool_call_id', 'tool_calls', 'cache_control', ...FIELDS_OF_ANSWERS))
  .superRefine((message, context) => {
    if (message.role !== 'assistant' && (message.content === undefined || message.content === null)) {
      context.addIssue({ code: 'custom', path: ['content'], message: 'is required' });
    }
    if (message.role === 'tool' && message.tool_call_id === undefined) {
      context.addIssue({ code: 'custom', path: ['tool_call_id'], message: 'is required' });
    }
  })
  .meta({ id: 'ChatMessage' });

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
