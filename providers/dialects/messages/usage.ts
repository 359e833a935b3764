/** Translates token counts between Anthropic's dialect and OpenAI's. */
import type { OpenAiUsage } from '../../chat-adapter.ts';
import { isCount } from '../../counts.ts';
import { type Fields, fieldsIn, isFields } from '../../../domain/fields.ts';

/*
 * Anthropic's counts of a prompt add up to the whole. OpenAI counts the whole and states parts of it. Absent and
 * invalid counts are zero here; billing corrects counts that contradict each other (services/live/token-usage.ts).
 */

/** Token counts of a prompt and an answer as Anthropic counts them. */
interface Counted {
  input: number;
  read: number;
  written: number;
  writtenForAnHour: number;
  output: number;
}

/** Kinds of tokens with their own prices that a chat upstream may count. Anthropic's dialect has no names for them. */
const PRICED_PARTS = ['audio_tokens', 'image_tokens', 'video_tokens'] as const;

export function usageToChat(usage: Fields): OpenAiUsage {
  const whole = toChat(add(countedIn(usage), compactionIn(usage)));
  const [first, ...others] = callsIn(usage);
  // The vendor counts thoughts, sound and pictures of all calls together, so they are parts of the first one.
  const calls = first && others.length > 0 ? [withParts(first, usage), ...others] : undefined;
  return { ...withParts(whole, usage), ...(calls && { calls }) };
}

/** Returns counts with the kinds of tokens that have prices of their own. */
function withParts(counted: OpenAiUsage, usage: Fields): OpenAiUsage {
  const { input_tokens_details: input, output_tokens_details: output } = usage;
  return {
    ...counted,
    prompt_tokens_details: { ...counted.prompt_tokens_details, ...partsIn(input) },
    completion_tokens_details: {
      reasoning_tokens: countOf(fieldOf(output, 'thinking_tokens')),
      ...partsIn(output),
    },
  };
}

function toChat({ input, read, written, writtenForAnHour, output }: Counted): OpenAiUsage {
  const prompt = input + read + written;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: {
      cached_tokens: read,
      cache_write_tokens: written,
      ...(writtenForAnHour === 0 ? {} : { cache_write_1h_tokens: writtenForAnHour }),
    },
  };
}

/**
 * Returns the vendor's calls, the answer's first. Each iteration of a loop has a length of its own, which decides about
 * the prices of long prompts (`@anthropic-ai/sdk`, `BetaIterationsUsage`, read 2026-11-28).
 */
function callsIn(usage: Fields): OpenAiUsage[] {
  const iterations = fieldsIn(usage['iterations']);
  const ofType = (...types: unknown[]) =>
    iterations.filter(({ type }) => types.includes(type)).map(countedIn);
  const [all, messages] = [countedIn(usage), ofType('message', 'fallback_message')];
  const isComplete = toChat(messages.reduce(add, NOTHING)).total_tokens === toChat(all).total_tokens;
  return [...(isComplete ? messages : [all]), ...ofType('compaction')].map(toChat);
}

/**
 * Returns the tokens that the vendor used to summarize a conversation that became too long. They are billed but not
 * part of its count (`@anthropic-ai/sdk` 1.12.0, `BetaUsage.iterations`, read 2026-11-21).
 */
export function compactionIn(usage: Fields): Counted {
  const compactions = fieldsIn(usage['iterations']).filter(({ type }) => type === 'compaction');
  return compactions.map(countedIn).reduce(add, NOTHING);
}

export function usageToMessages(usage: OpenAiUsage): Fields {
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = usage;
  const read = countOf(prompt?.['cached_tokens']);
  const written = countOf(prompt?.['cache_write_tokens']);
  const hour = countOf(prompt?.['cache_write_1h_tokens']);
  const inputs = partsIn(prompt);
  const thinking = countOf(completion?.['reasoning_tokens']);
  const outputs = { ...(thinking === 0 ? {} : { thinking_tokens: thinking }), ...partsIn(completion) };
  return {
    input_tokens: Math.max(0, usage.prompt_tokens - read - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    ...(hour === 0 ? {} : { cache_creation: cacheCreation(written, hour) }),
    ...(Object.keys(inputs).length === 0 ? {} : { input_tokens_details: inputs }),
    output_tokens: usage.completion_tokens ?? 0,
    ...(Object.keys(outputs).length === 0 ? {} : { output_tokens_details: outputs }),
  };
}

function cacheCreation(written: number, hour: number): Fields {
  return { ephemeral_5m_input_tokens: Math.max(0, written - hour), ephemeral_1h_input_tokens: hour };
}

const NOTHING: Counted = { input: 0, read: 0, written: 0, writtenForAnHour: 0, output: 0 };

function countedIn(usage: Fields): Counted {
  return {
    input: countOf(usage['input_tokens']),
    read: countOf(usage['cache_read_input_tokens']),
    written: countOf(usage['cache_creation_input_tokens']),
    writtenForAnHour: countOf(fieldOf(usage['cache_creation'], 'ephemeral_1h_input_tokens')),
    output: countOf(usage['output_tokens']),
  };
}

function add(one: Counted, other: Counted): Counted {
  return {
    input: one.input + other.input,
    read: one.read + other.read,
    written: one.written + other.written,
    writtenForAnHour: one.writtenForAnHour + other.writtenForAnHour,
    output: one.output + other.output,
  };
}

function partsIn(details: unknown): Fields {
  const counts = PRICED_PARTS.map((name) => [name, countOf(fieldOf(details, name))] as const);
  const parts: Fields = Object.fromEntries(counts.filter(([, count]) => count > 0));
  const ofCached = fieldOf(details, 'cached_tokens_details');
  const cachedAudio = countOf(fieldOf(ofCached, 'audio_tokens'));
  return cachedAudio === 0 ? parts : { ...parts, cached_tokens_details: { audio_tokens: cachedAudio } };
}

function fieldOf(value: unknown, name: string): unknown {
  return isFields(value) ? value[name] : undefined;
}

function countOf(value: unknown): number {
  return isCount(value) ? value : 0;
}
