import type { Modality } from '../../domain/generation.ts';

/** What can be said of a conversation without a tokenizer. */
export interface PromptFacts {
  /** A guess, for reservations and for upstreams that never tell. */
  estimatedTokens: number;
  images: number;
  modalities: Modality[];
}

const CHARACTERS_PER_TOKEN = 4;
/** What vendors charge for a picture of usual size. */
const TOKENS_PER_MEDIUM = 1_000;
/** Role and separators. */
const TOKENS_PER_MESSAGE = 4;

/** A map, since the names are the caller's: an object would answer to `constructor`. */
const MODALITY_OF_PART = new Map<string, Modality>([
  ['text', 'text'],
  ['image_url', 'image'],
  ['input_audio', 'audio'],
  ['video_url', 'video'],
  ['file', 'file'],
]);

/** A rough token count; never zero for text that is not empty. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

interface Message {
  content?: unknown;
  tool_calls?: unknown;
}

/** One pass over the messages and tools of a chat request that was validated. */
export function readPrompt(messages: readonly Message[], tools: unknown): PromptFacts {
  let characters = 0;
  let images = 0;
  let media = 0;
  const modalities = new Set<Modality>(['text']);
  for (const { content, tool_calls: calls } of messages) {
    if (typeof content === 'string') characters += content.length;
    else if (Array.isArray(content)) {
      for (const part of content as { type: string; text?: unknown }[]) {
        const modality = MODALITY_OF_PART.get(part.type);
        if (typeof part.text === 'string') characters += part.text.length;
        else media += 1;
        if (modality === 'image') images += 1;
        if (modality !== undefined) modalities.add(modality);
      }
    }
    if (Array.isArray(calls) && calls.length > 0) characters += JSON.stringify(calls).length;
  }
  if (Array.isArray(tools) && tools.length > 0) characters += JSON.stringify(tools).length;
  const estimatedTokens =
    estimateTokens(characters) + messages.length * TOKENS_PER_MESSAGE + media * TOKENS_PER_MEDIUM;
  return { estimatedTokens, images, modalities: [...modalities] };
}
