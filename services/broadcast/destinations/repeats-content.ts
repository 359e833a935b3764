import type { BroadcastSpan } from '../../../domain/broadcast/span.ts';

/** A run of so many letters and digits is hardly there by chance. */
const RUN = 20;
/** Every second window of half a run lies whole within it. */
const WINDOW = RUN / 2;

/**
 * Tells whether a tool's answer repeats a part of the prompts or answers that it was sent. Escapes, spaces and punctuation
 * do not count: a tool may repeat the request as a text within JSON. A short text counts only as a whole.
 */
export function repeatsContent(answer: string, spans: readonly BroadcastSpan[]): boolean {
  const told = lettersOf(answer);
  if (told.length < WINDOW) return false;
  const windows = new Set<string>();
  for (let at = 0; at + WINDOW <= told.length; at += 1) windows.add(told.slice(at, at + WINDOW));
  return spans.some(({ content }) => content !== undefined && isIn(content, told, windows));
}

function isIn(value: unknown, told: string, windows: ReadonlySet<string>): boolean {
  if (typeof value === 'string') {
    // Most tools answer with a word or two, which no long text is a whole of.
    if (told.length < RUN && value.length > 2 * RUN) return false;
    return isTextIn(lettersOf(value), told, windows);
  }
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((part) => isIn(part, told, windows));
}

function isTextIn(text: string, told: string, windows: ReadonlySet<string>): boolean {
  if (text.length < RUN) return text.length >= WINDOW && told.includes(text);
  for (let at = 0; at + WINDOW <= text.length; at += WINDOW) {
    if (windows.has(text.slice(at, at + WINDOW)) && isRunAround(text, at, told)) return true;
  }
  return false;
}

/** Looks for a whole run of the text that has the window at `at` in it. */
function isRunAround(text: string, at: number, told: string): boolean {
  const last = Math.min(at, text.length - RUN);
  for (let start = Math.max(0, at - WINDOW); start <= last; start += 1) {
    if (told.includes(text.slice(start, start + RUN))) return true;
  }
  return false;
}

/** Returns the letters and digits of a text, whatever escapes of JSON it is written with. */
function lettersOf(text: string): string {
  return text
    .replaceAll(/\\+u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/\\+[bfnrt]/g, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');
}
