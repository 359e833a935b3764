/** Samples one percent of generations and classifies their prompts for the rankings. */
import { CLASSIFIED_CHARACTERS, classifyContent } from '../../domain/catalog/content-class.ts';
import type { GenerationRecord } from '../../domain/ledger/generation.ts';
import { isSampled } from '../../domain/sampling.ts';

/** The share of generations that are classified. Each one stands for a hundred in the rankings. */
const SAMPLED_SHARE = 0.01;
const WEIGHT = 100;

/** Returns the class of a generation by its prompt; null for a generation that is not classified. */
export function rankingsSample(generationId: string, input: unknown): GenerationRecord['sample'] {
  if (!isSampled('rankings', generationId, SAMPLED_SHARE)) return null;
  return { ...classifyContent(beginningOf(input)), weight: WEIGHT };
}

interface Message {
  role?: unknown;
  content?: unknown;
}

/** Returns the first characters of a prompt. Reads only the user's messages, if the conversation has any. */
function beginningOf(input: unknown): string {
  if (!Array.isArray(input)) return textOf(input);
  const messages = input as unknown[];
  return readTexts(messages.filter(isOfUser)) || readTexts(messages);
}

function isOfUser(message: unknown): boolean {
  return (message as Message | null)?.role === 'user';
}

/** Reads the texts in messages and parts at any depth, until it has as many characters as are classified. */
function readTexts(items: readonly unknown[]): string {
  let text = '';
  for (const item of items) {
    if (text.length >= CLASSIFIED_CHARACTERS) break;
    const found = textOf(item);
    if (found !== '') text += `${found.slice(0, CLASSIFIED_CHARACTERS - text.length)}\n`;
  }
  return text;
}

function textOf(item: unknown): string {
  if (typeof item === 'string') return item;
  const { content, text, query } = (item ?? {}) as { content?: unknown; text?: unknown; query?: unknown };
  if (typeof query === 'string') return query;
  if (typeof text === 'string') return text;
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? readTexts(content) : '';
}
