/**
 * Detects responses of observability tools that repeat a customer's prompt or answer, so that such text is not shown.
 */
import type { BroadcastSpan } from '../../../domain/broadcast/span.ts';

/** The number of equal letters and digits in a row that counts as a repetition. */
const RUN = 20;
/** The length of a window. The windows of a text do not overlap, so each run of the text contains a whole one. */
const WINDOW = RUN / 2;

/**
 * Returns whether a tool's answer repeats a part of the prompts or answers that it was sent. Escapes, spaces and
 * punctuation are ignored, because a tool may repeat the request as a text within JSON. A short text counts only as a
 * whole.
 */
export function repeatsContent(answer: string, spans: readonly BroadcastSpan[]): boolean {
  const letters = lettersOf(answer);
  if (letters.length < WINDOW) return false;
  const windows = new Set<string>();
  for (let at = 0; at + WINDOW <= letters.length; at += 1) windows.add(letters.slice(at, at + WINDOW));
  return spans.some(({ content }) => content !== undefined && isIn(content, letters, windows));
}

function isIn(value: unknown, letters: string, windows: ReadonlySet<string>): boolean {
  if (typeof value === 'string') {
    // An answer of a few words, which most tools give, is too short to repeat a run of a long text.
    if (letters.length < RUN && value.length > 2 * RUN) return false;
    return isTextIn(lettersOf(value), letters, windows);
  }
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((part) => isIn(part, letters, windows));
}

function isTextIn(text: string, letters: string, windows: ReadonlySet<string>): boolean {
  if (text.length < RUN) return text.length >= WINDOW && letters.includes(text);
  for (let at = 0; at + WINDOW <= text.length; at += WINDOW) {
    if (windows.has(text.slice(at, at + WINDOW)) && isRunAround(text, at, letters)) return true;
  }
  return false;
}

/** Searches the answer for a whole run of the text that contains the window at `at`. */
function isRunAround(text: string, at: number, letters: string): boolean {
  const last = Math.min(at, text.length - RUN);
  for (let start = Math.max(0, at - WINDOW); start <= last; start += 1) {
    if (letters.includes(text.slice(start, start + RUN))) return true;
  }
  return false;
}

/** Returns the letters and digits of a text, without escapes of JSON. */
function lettersOf(text: string): string {
  return text
    .replaceAll(/\\+u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/\\+[bfnrt]/g, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');
}
