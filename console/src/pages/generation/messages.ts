/** Turns logged input and output into a conversation of plain texts. */
import type { Schema } from '../../api/call.ts';

export interface Said {
  role: string;
  text: string;
  note?: string;
}

/** Returns what was said, in its order. Nothing of it is ever interpreted: it is text. */
export function messagesOf({ input, output, error }: Schema<'GenerationContent'>): Said[] {
  const said: Said[] =
    'messages' in input ? input.messages.map(saidIn) : [{ role: 'prompt', text: input.prompt }];
  if (output.reasoning !== null) said.push({ role: 'assistant', text: output.reasoning, note: 'reasoning' });
  if (output.completion !== null) said.push({ role: 'assistant', text: output.completion });
  if (error !== null) {
    said.push({
      role: 'error',
      text: error.message ?? 'The provider gave no reason.',
      note: error.provider_name ?? undefined,
    });
  }
  return said;
}

function saidIn(message: unknown): Said {
  if (typeof message !== 'object' || message === null) return { role: 'message', text: textOf(message) };
  const { role, content, ...rest } = message as Record<string, unknown>;
  const others = Object.keys(rest).length === 0 ? '' : textOf(rest);
  const text = [contentOf(content), others].filter((part) => part !== '').join('\n\n');
  return { role: typeof role === 'string' ? role : 'message', text };
}

function contentOf(content: unknown): string {
  if (!Array.isArray(content)) return textOf(content);
  return content.map((part: unknown) => partOf(part)).join('\n\n');
}

function partOf(part: unknown): string {
  if (typeof part === 'object' && part !== null && 'text' in part) return textOf(part.text);
  return textOf(part);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}
