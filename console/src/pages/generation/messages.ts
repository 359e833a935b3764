/** Turns logged input and output into a conversation of plain texts, pictures and sounds. */
import type { Schema } from '../../api/call.ts';
import { type Medium, mediumOf } from '../../parts/media/medium.ts';

export interface Said {
  role: string;
  text: string;
  note?: string;
  media?: Medium[];
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
  const parts = (Array.isArray(content) ? content : [content]).map((part: unknown) => partOf(part));
  if (Object.keys(rest).length > 0) parts.push(textOf(rest));
  const texts = parts.filter((part) => typeof part === 'string').filter((text) => text !== '');
  const media = parts.filter((part) => typeof part === 'object');
  return { role: typeof role === 'string' ? role : 'message', text: texts.join('\n\n'), media };
}

/** Returns what a part shows, or its text. The log has "[image/png removed]" in place of a file that was sent. */
function partOf(part: unknown): Medium | string {
  if (typeof part !== 'object' || part === null) return textOf(part);
  if ('text' in part) return textOf(part.text);
  const medium = mediumOf(part);
  if (medium === undefined) return textOf(part);
  if (medium.kind !== 'text') return medium;
  return `${'type' in part ? textOf(part.type) : 'file'}: ${medium.url}`;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}
