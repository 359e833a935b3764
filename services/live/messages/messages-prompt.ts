import { type Fields, fieldsIn, isFields, textOf } from '../dialects/fields.ts';
import {
  addFile,
  factsOf,
  newSize,
  type PromptFacts,
  type Size,
  TOKENS_PER_MESSAGE,
} from '../prompt-facts.ts';
import { textWeight } from '../token-estimate.ts';

/** Returns the facts about the prompt of a validated messages request, from its system prompt, messages and tools. */
export function readMessagesPrompt(
  messages: readonly Fields[],
  system: unknown,
  tools: unknown,
): PromptFacts {
  const size = newSize();
  addContent(size, system);
  for (const { content } of messages) addContent(size, content);
  if (Array.isArray(tools) && tools.length > 0) size.weight += textWeight(JSON.stringify(tools));
  return factsOf(size, messages.length * TOKENS_PER_MESSAGE);
}

function addContent(size: Size, content: unknown): void {
  if (typeof content === 'string') size.weight += textWeight(content);
  else for (const block of fieldsIn(content)) addBlock(size, block);
}

function addBlock(size: Size, block: Fields): void {
  switch (block['type']) {
    case 'text':
      size.weight += textWeight(textOf(block['text']));
      return;
    case 'thinking':
      size.weight += textWeight(textOf(block['thinking']));
      return;
    case 'tool_use':
      size.weight += textWeight(JSON.stringify(block['input'] ?? {}));
      return;
    case 'tool_result':
      addContent(size, block['content']);
      return;
    case 'image':
      size.hasMedia = true;
      size.media += 1;
      size.images += 1;
      size.modalities.add('image');
      return;
    case 'document':
      size.hasMedia = true;
      addDocument(size, isFields(block['source']) ? block['source'] : {});
      return;
    default:
      size.hasMedia = true;
      size.media += 1;
  }
}

function addDocument(size: Size, { type, data, content }: Fields): void {
  if (type === 'base64') return addFile(size, data);
  if (type === 'url') return addFile(size, undefined);
  size.modalities.add('file');
  size.weight += textWeight(textOf(data));
  addContent(size, content);
}
