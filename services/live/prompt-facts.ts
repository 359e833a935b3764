/** Estimates the size of prompts and detects their media, in one pass over the request. */
import type { Modality } from '../../domain/modality.ts';
import { textWeight, tokensOfWeight } from './token-estimate.ts';

/** Facts about a conversation that are known without a tokenizer. */
export interface PromptFacts {
  /** An estimate, for reservations and for upstreams that do not count. */
  estimatedTokens: number;
  images: number;
  files: number;
  /**
   * The number of tokens that the files may count as: a quarter of their bytes, or Infinity when the request does not
   * contain the bytes of one file.
   */
  fileTokens: number;
  modalities: Modality[];
  /** True when the prompt has anything besides text. Only then may it contain URLs. */
  hasMedia: boolean;
}

/** The tokens that vendors charge for a picture of usual size. */
export const TOKENS_PER_MEDIUM = 1_000;
/** The tokens of a message's role and separators. */
export const TOKENS_PER_MESSAGE = 4;

/** Types of parts whose content is their `text`; upstreams read nothing else in them. */
const TEXT_PARTS: ReadonlySet<string> = new Set(['text', 'input_text', 'output_text']);

/**
 * The media of each type of part. A map, because the caller chooses the keys, and an object has keys such as
 * `constructor`.
 */
export const MODALITY_OF_PART: ReadonlyMap<string, Modality> = new Map<string, Modality>([
  ['text', 'text'],
  ['image_url', 'image'],
  ['input_audio', 'audio'],
  ['video_url', 'video'],
  ['file', 'file'],
  ['input_image', 'image'],
  ['input_video', 'video'],
  ['input_file', 'file'],
]);

interface Message {
  content?: unknown;
  tool_calls?: unknown;
  images?: unknown;
}

/** Reads the messages and tools of a validated chat request in one pass. */
export function readPrompt(messages: readonly Message[], tools: unknown): PromptFacts {
  const size = newSize();
  for (const { content, tool_calls: calls, images } of messages) {
    if (typeof content === 'string') size.weight += textWeight(content);
    else if (Array.isArray(content)) addParts(size, content as Part[]);
    if (images !== undefined) size.hasMedia = true;
    if (Array.isArray(calls) && calls.length > 0) size.weight += textWeight(JSON.stringify(calls));
  }
  if (Array.isArray(tools) && tools.length > 0) size.weight += textWeight(JSON.stringify(tools));
  return factsOf(size, messages.length * TOKENS_PER_MESSAGE);
}

/** Reads a responses request: its input, its instructions and its tools. */
export function readResponsesPrompt(
  input: string | readonly InputItem[],
  instructions: string | null | undefined,
  tools: unknown,
): PromptFacts {
  const size = newSize();
  const items = typeof input === 'string' ? [{ content: input }] : input;
  // Options for one provider are not validated, and may hold instructions of any type.
  if (typeof instructions === 'string') size.weight += textWeight(instructions);
  for (const { content, output, summary, arguments: given, result } of items) {
    for (const value of [content, output, summary]) {
      if (typeof value === 'string') size.weight += textWeight(value);
      else if (Array.isArray(value)) addParts(size, value as Part[]);
      else if (typeof value === 'object' && value !== null) size.hasMedia = true;
    }
    if (result !== undefined) size.hasMedia = true;
    if (typeof given === 'string') size.weight += textWeight(given);
  }
  if (Array.isArray(tools) && tools.length > 0) size.weight += textWeight(JSON.stringify(tools));
  return factsOf(size, items.length * TOKENS_PER_MESSAGE);
}

/** The fields of an item in a responses request that count towards the prompt's size. */
interface InputItem {
  content?: unknown;
  output?: unknown;
  summary?: unknown;
  arguments?: unknown;
  /** A picture that a model made. */
  result?: unknown;
}

/** Reads the input of an embeddings request. Estimates texts, and counts tokens and pictures. */
export function readEmbeddingsInput(input: unknown): PromptFacts {
  const size = newSize();
  let tokens = 0;
  for (const item of Array.isArray(input) ? (input as unknown[]) : [input]) {
    if (typeof item === 'number') tokens += 1;
    else if (typeof item === 'string') size.weight += textWeight(item);
    else if (Array.isArray(item)) tokens += item.length;
    else addParts(size, (item as { content: Part[] }).content);
  }
  return factsOf(size, tokens);
}

interface Part {
  type: string;
  text?: unknown;
  /** The file of a part in a chat. */
  file?: { file_data?: unknown } | null;
  /** The file of a part in a responses request. */
  file_data?: unknown;
}

/** The running sums over all parts read so far. */
export interface Size {
  weight: number;
  images: number;
  media: number;
  files: number;
  fileTokens: number;
  modalities: Set<Modality>;
  hasMedia: boolean;
}

export function newSize(): Size {
  const modalities = new Set<Modality>(['text']);
  return { weight: 0, images: 0, media: 0, files: 0, fileTokens: 0, modalities, hasMedia: false };
}

/** Tokens per base64 character: four characters are three bytes, and four bytes count as a token. */
const TOKENS_PER_CHARACTER = 3 / 16;

/**
 * Adds a file. `data` is the file as base64 or as a data URL, and anything else when the request does not contain the
 * file.
 */
export function addFile(size: Size, data: unknown): void {
  const isHere = typeof data === 'string' && !/^https?:/i.test(data);
  size.media += 1;
  size.files += 1;
  size.fileTokens += isHere ? Math.ceil(data.length * TOKENS_PER_CHARACTER) : Infinity;
  size.modalities.add('file');
}

function addParts(size: Size, parts: readonly Part[]): void {
  for (const { type, text, file, file_data } of parts) {
    const modality = MODALITY_OF_PART.get(type);
    // A media part may also have a text. It then counts as both.
    if (typeof text === 'string') size.weight += textWeight(text);
    if (modality === 'file') addFile(size, file?.file_data ?? file_data);
    else if (typeof text !== 'string' || (modality !== undefined && modality !== 'text')) size.media += 1;
    if (typeof text !== 'string' || !TEXT_PARTS.has(type)) size.hasMedia = true;
    if (modality === 'image') size.images += 1;
    if (modality !== undefined) size.modalities.add(modality);
  }
}

export function factsOf(size: Size, tokens: number): PromptFacts {
  const { weight, images, media, files, fileTokens, modalities, hasMedia } = size;
  const estimatedTokens = tokensOfWeight(weight) + tokens + media * TOKENS_PER_MEDIUM;
  return { estimatedTokens, images, files, fileTokens, modalities: [...modalities], hasMedia };
}
