/** Validates the messages, content blocks and system prompt of requests in Anthropic's dialect. */
import { z } from 'zod';
import { dropEveryNull, dropNulls } from '../or-null.ts';

/** The required fields of each known kind of block, with their types. */
const BLOCK_FIELDS: Readonly<Record<string, Readonly<Record<string, 'string' | 'object'>>>> = {
  text: { text: 'string' },
  image: { source: 'object' },
  document: { source: 'object' },
  // Thoughts of other providers have no signature.
  thinking: { thinking: 'string' },
  redacted_thinking: { data: 'string' },
  tool_use: { id: 'string', name: 'string', input: 'object' },
  tool_result: { tool_use_id: 'string' },
};

type Fields = Record<string, unknown>;

const dropOptional: (block: Fields) => Fields = dropNulls(
  'cache_control',
  'citations',
  'title',
  'context',
  'is_error',
);

/**
 * Removes null from the optional fields of a block. Unknown blocks keep their other fields, since null may be a value
 * there.
 */
function dropNullsOfBlock<Block extends Fields & { type: string; content?: unknown }>(block: Block): Block {
  dropOptional(block);
  if (block.type !== 'tool_result') return block;
  if (block.content === null) delete block.content;
  if (Array.isArray(block.content)) {
    block.content = block.content.map((inner: unknown) =>
      typeof inner === 'object' && inner !== null ? dropOptional({ ...inner }) : inner,
    );
  }
  return block;
}

const contentBlock = z
  .looseObject({
    type: z.string().meta({
      examples: ['text', 'image', 'document', 'thinking', 'redacted_thinking', 'tool_use', 'tool_result'],
    }),
  })
  .overwrite(dropNullsOfBlock)
  .superRefine((block, context) => {
    const rules = Object.hasOwn(BLOCK_FIELDS, block.type) ? BLOCK_FIELDS[block.type] : undefined;
    for (const name in rules) {
      const value = block[name];
      const wanted = rules[name];
      if (typeof value === wanted && value !== null) continue;
      const rule = wanted === 'string' ? 'must be a string' : 'must be an object';
      context.addIssue({ code: 'custom', path: [name], message: value === undefined ? 'is required' : rule });
    }
    if (block.type !== 'tool_result') return;
    const { content } = block;
    const isKnown =
      content === undefined ||
      content === null ||
      typeof content === 'string' ||
      (Array.isArray(content) && content.every(isBlock));
    if (!isKnown)
      context.addIssue({
        code: 'custom',
        path: ['content'],
        message: 'must be a string or a list of blocks',
      });
  })
  .meta({
    id: 'MessagesBlock',
    description: 'A part of a message. Unknown kinds are passed on unchanged.',
  });

function isBlock(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

export const messageParam = z
  .looseObject({
    role: z.enum(['user', 'assistant', 'system']),
    content: z.union([z.string(), z.array(contentBlock)], 'must be a string or a list of blocks'),
  })
  .meta({ id: 'MessagesMessage' });

export const textBlocks = z.union(
  [
    z.string(),
    z.array(z.looseObject({ type: z.literal('text'), text: z.string() }).overwrite(dropEveryNull())),
  ],
  'must be a string or a list of text blocks',
);
