/** Validates the `input` of responses requests. */
import { z } from 'zod';
import { describeIssue } from '../issues.ts';
import { dropNulls, orNull } from '../or-null.ts';
import { responsesTool } from './responses-tool.ts';

const ROLES = new Set(['system', 'developer', 'user', 'assistant']);

/** The required text fields of each known kind of part and item. */
const PART_FIELDS = new Map<unknown, readonly string[]>([
  ['input_text', ['text']],
  ['output_text', ['text']],
  ['refusal', ['refusal']],
]);
const ITEM_FIELDS = new Map<unknown, readonly string[]>([
  ['function_call', ['call_id', 'name', 'arguments']],
  ['function_call_output', ['call_id']],
]);

type Fields = Record<string, unknown>;
type Refuse = (path: (string | number)[], message: string) => void;

/**
 * An item of the conversation. Its schema is loose and the checks run later: an issue of a schema below a union would
 * lose its path.
 */
const item = z
  .looseObject({
    type: orNull(z.string()).meta({
      examples: ['message', 'function_call', 'function_call_output', 'reasoning', 'additional_tools'],
    }),
    role: z
      .unknown()
      .optional()
      .meta({ description: 'The role of a message: system, developer, user or assistant.' }),
    content: z.unknown().optional().meta({
      description: 'Text, or parts such as `input_text`, `input_image`, `input_file`, `output_text`.',
    }),
  })
  .overwrite(dropNulls('type'))
  .superRefine((value, context) => {
    const refuse: Refuse = (path, message) => context.addIssue({ code: 'custom', path, message });
    const type = value.type ?? 'message';
    requireTexts(value, ITEM_FIELDS.get(type), [], refuse);
    if (type === 'message') checkMessage(value, refuse);
    else if (type === 'function_call_output') checkContent(value['output'], 'output', refuse);
    else if (type === 'additional_tools') checkTools(value['tools'], refuse);
  })
  .meta({
    id: 'ResponsesInputItem',
    description:
      "A message, a function call, the result of a function, or the model's reasoning. Items of an answer may be sent back unchanged. An item `additional_tools` adds its `tools` to those of the request.",
  });

/** The input: one question, or the whole conversation. */
export const responsesInput = z.union(
  [z.string(), z.array(item).min(1)],
  'must be a string or a list of items, and not empty',
);

function checkMessage(message: Fields, refuse: Refuse): void {
  const { role, content } = message;
  if (typeof role !== 'string' || !ROLES.has(role))
    refuse(['role'], 'must be one of system, developer, user, assistant');
  // An assistant that only called tools has no content.
  if (role !== 'assistant' || !isAbsent(content)) checkContent(content, 'content', refuse);
}

function checkContent(content: unknown, name: string, refuse: Refuse): void {
  if (typeof content === 'string') return;
  if (isAbsent(content)) return refuse([name], 'is required');
  if (!Array.isArray(content)) return refuse([name], 'must be a string or a list of parts');
  for (const [index, part] of content.entries()) checkPart(part, [name, index], refuse);
}

/** Checks a part of a known kind. The endpoint decides about other kinds. */
function checkPart(part: unknown, path: (string | number)[], refuse: Refuse): void {
  if (typeof part !== 'object' || part === null) return refuse(path, 'must be an object');
  const fields = part as Fields;
  if (typeof fields['type'] !== 'string') return refuse([...path, 'type'], 'is required');
  requireTexts(fields, PART_FIELDS.get(fields['type']), path, refuse);
}

function checkTools(tools: unknown, refuse: Refuse): void {
  if (!Array.isArray(tools)) return refuse(['tools'], 'must be a list of tools');
  for (const [index, tool] of tools.entries()) {
    const { error } = responsesTool.safeParse(tool, { error: describeIssue });
    for (const { path, message } of error?.issues ?? [])
      refuse(['tools', index, ...(path as (string | number)[])], message);
  }
}

function requireTexts(
  value: Fields,
  names: readonly string[] | undefined,
  path: (string | number)[],
  refuse: Refuse,
): void {
  for (const name of names ?? []) {
    const text = value[name];
    if (typeof text === 'string') continue;
    refuse([...path, name], text === undefined ? 'is required' : 'must be a string');
  }
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
