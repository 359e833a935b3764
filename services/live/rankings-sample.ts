import { CLASSIFIED_CHARACTERS, classifyContent } from '../../domain/catalog/content-class.ts';
import type { GenerationRecord } from '../../domain/ledger/generation.ts';
import { isSampled } from '../../domain/sampling.ts';

/** One generation in a hundred is classified, and stands for a hundred (design: §8, rankings). */
const SAMPLED_SHARE = 0.01;
const WEIGHT = 100;

/** The class of a generation by what was asked, if it is one of those that are classified. */
export function rankingsSample(generationId: string, input: unknown): GenerationRecord['sample'] {
  if (!isSampled('rankings', generationId, SAMPLED_SHARE)) return null;
  return { ...classifyContent(beginningOf(input)), weight: WEIGHT };
}

interface Message {
  role?: unknown;
  content?: unknown;
}

/** The first characters of a prompt: of the user's own messages, if it is a conversation in which the user speaks. */
function beginningOf(input: unknown): string {
  if (!Array.isArray(input)) return textOf(input);
  const messages = input as unknown[];
  return readTexts(messages.filter(isOfUser)) || readTexts(messages);
}

function isOfUser(message: unknown): boolean {
  return (message as Message | null)?.role === 'user';
}

/** Of texts, messages and parts, as deep as those lie; never more than is looked at. */
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
