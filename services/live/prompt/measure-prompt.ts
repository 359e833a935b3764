/**
 * Estimates the size of a request's prompt in one pass over its fields.
 *
 * The text of every field counts, so a new field of a vendor needs no change here. Vendors do not charge for
 * parameters, ids and metadata: they count for reservations and for the upper bound, but not for the estimate.
 */
import { type Fields, fieldsIn, isFields, textOf } from '../../../domain/fields.ts';
import { tokensOfWeight } from '../token-estimate.ts';
import { mayBeFetched } from './media-fields.ts';
import { addMedium, addUnknownMedium } from './measure-medium.ts';
import { addText, addValue, newSize, type PromptSize } from './prompt-size.ts';
import { MODALITY_OF_PART, type PromptFacts } from './prompt-facts.ts';
import { pricedTierOf } from '../../../domain/live/service-tier.ts';

/** The tokens of a message's role and separators. */
const TOKENS_PER_MESSAGE = 4;

/** The fields of a request that hold its conversation, in all dialects. Only these fields may contain media. */
const CONVERSATIONS: ReadonlySet<string> = new Set(['messages', 'input', 'system', 'instructions']);

/** The fields of a request whose values no model reads. */
const PARAMETERS: ReadonlySet<string> = new Set(
  `model stream stream_options temperature top_p top_k top_a min_p frequency_penalty presence_penalty
  repetition_penalty max_tokens max_completion_tokens max_output_tokens max_tool_calls n seed stop stop_sequences
  logit_bias logprobs top_logprobs tool_choice parallel_tool_calls reasoning reasoning_effort thinking modalities audio
  service_tier cache_control prompt_cache_key prompt_cache_retention safety_identifier metadata user store include
  truncation background speed inference_geo betas encoding_format dimensions input_type context_management`.split(
    /\s+/,
  ),
);

/** The fields of messages and parts that hold further parts. */
const HOLDERS: ReadonlySet<string> = new Set([
  'content',
  'output',
  'summary',
  'images',
  'tool_calls',
  'reasoning_details',
]);

/** The fields of messages and parts whose values no model reads. */
const LABELS: ReadonlySet<string> = new Set(
  'role type id index status detail tool_call_id call_id tool_use_id item_id cache_control signature'.split(
    ' ',
  ),
);

/**
 * Returns the facts about the prompt in the fields of a request, as they are sent upstream. `perMessage` is the
 * number of tokens that each message adds to its text.
 */
export function measurePrompt(
  fields: Readonly<Fields>,
  perMessage = TOKENS_PER_MESSAGE,
  askedAtMs = Date.now(),
): PromptFacts {
  const size = newSize();
  for (const name in fields) {
    const value = fields[name];
    addText(size, name, false);
    if (name === 'cache_control') addCacheWrite(size, value);
    if (!CONVERSATIONS.has(name)) addValue(size, value, !PARAMETERS.has(name));
    else {
      size.tokens += perMessage * countMessages(name, value);
      addConversation(size, value);
    }
  }
  return {
    ...factsOf(size),
    mayBeCompacted: asksForCompaction(fields['context_management']),
    serviceTier: pricedTierOf(fields['service_tier']),
    askedAtMs,
  };
}

/** Reads the edits of Anthropic's dialect, which stand in an object, and the list of the Responses dialect. */
function asksForCompaction(management: unknown): boolean {
  const edits = isFields(management) ? management['edits'] : management;
  return fieldsIn(edits).some(({ type }) => textOf(type).startsWith('compact'));
}

function countMessages(name: string, value: unknown): number {
  if (name !== 'messages' && name !== 'input') return 0;
  return Array.isArray(value) ? value.length : 1;
}

/** Returns the estimated tokens and the bytes of all text in fields that hold no conversation. */
export function textSizeOf(fields: Readonly<Fields>): { tokens: number; bytes: number } {
  const size = newSize();
  for (const name in fields) {
    addText(size, name, false);
    addValue(size, fields[name], false);
  }
  return { tokens: tokensOfWeight(size.weight), bytes: size.bytes };
}

/** Adds messages, items, parts, or the text of one. */
function addConversation(size: PromptSize, value: unknown): void {
  if (Array.isArray(value)) for (const each of value as unknown[]) addConversation(size, each);
  else if (isFields(value)) addPart(size, value);
  // A number is a token of an embeddings request.
  else if (typeof value === 'number') size.tokens += 1;
  else addValue(size, value, true);
}

function addPart(size: PromptSize, part: Fields): void {
  const kind = MODALITY_OF_PART.get(part['type']);
  let hasMedium = false;
  for (const name in part) {
    const value = part[name];
    addText(size, name, false);
    if (name === 'cache_control') addCacheWrite(size, value);
    if (HOLDERS.has(name)) addConversation(size, value);
    else if (addMedium(size, part, name, addConversation)) hasMedium = true;
    else {
      addValue(size, value, !LABELS.has(name));
      if (mayBeFetched(part['type'], name, value)) addUnknownMedium(size, 'file');
    }
  }
  if (kind === undefined) return;
  size.modalities.add(kind);
  if (kind !== 'text' && !hasMedium) addUnknownMedium(size, kind);
}

function addCacheWrite(size: PromptSize, marker: unknown): void {
  if (isFields(marker) && marker['ttl'] === '1h') size.cacheWrite = 'hour';
  else if (isFields(marker) && size.cacheWrite === 'none') size.cacheWrite = 'minutes';
}

function factsOf(size: PromptSize): Omit<PromptFacts, 'mayBeCompacted' | 'serviceTier' | 'askedAtMs'> {
  const { weight, readWeight, tokens, bytes, audio, media, images, cacheWrite, modalities, hasMedia } = size;
  return {
    // `readWeight` is the weight of the text that a model reads, and `weight` that of all text.
    estimatedTokens: tokensOfWeight(readWeight) + tokens + audio.usual + media.usual,
    estimatedAudio: audio.usual,
    reserved: { text: tokensOfWeight(weight) + tokens, audio: audio.reserved, media: media.reserved },
    // A token has at least one byte.
    mostTokens: bytes + tokens + audio.most + media.most,
    images,
    cacheWrite,
    modalities: [...modalities],
    hasMedia,
  };
}
