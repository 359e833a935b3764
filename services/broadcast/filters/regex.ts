/** Checks and compiles the regular expressions of filter rules, within limits on their time and memory. */
import { RE2JS, RE2JSException, RE2Set } from 're2js';
import { MAX_REGEX_LENGTH } from '../../../domain/broadcast/filter-rules.ts';

/**
 * The most steps that a compiled expression may have. Compiling writes repetitions out, so a short text can become a
 * program of a hundred thousand steps. Each step costs time for every character of a prompt. The longest expression
 * without such repetitions stays below this limit. In the worst case each step costs 0.1 ms for one text; ordinary
 * expressions take less than 1 ms in all.
 */
const MAX_REGEX_STEPS = 520;

/**
 * The memory of an expression for computed states; without enough of it, the expression runs without a cache. The
 * default of 8 MiB makes malicious expressions slow, because each character then adds a state.
 */
const MAX_STATE_BYTES = 256 * 1024;

/** The number of characters at the beginning of a text that an expression searches. */
export const SEARCHED_CHARACTERS = 4_096;

/** Returns why an expression cannot be used as a filter; null if it can. */
export function checkRegex(text: string): string | null {
  if (text.length > MAX_REGEX_LENGTH) return `must not have more than ${MAX_REGEX_LENGTH} characters`;
  let steps: number;
  try {
    steps = RE2JS.compile(text).programSize();
  } catch (err) {
    if (!(err instanceof RE2JSException)) throw err;
    return `must be a regular expression in RE2 syntax: ${err.message.replace(/^error parsing regexp: /, '')}`;
  }
  if (steps > MAX_REGEX_STEPS) return 'must be a smaller regular expression: its repetitions are too large';
  return null;
}

/**
 * Compiles an expression. It is case-sensitive and may match anywhere. An expression that `checkRegex` refuses matches
 * nothing: it was stored before this limit existed, and must not block other work of the worker.
 */
export function compileRegex(text: string): (searched: string) => boolean {
  if (checkRegex(text) !== null) return () => false;
  const regex = new RE2Set(RE2Set.UNANCHORED, 0, MAX_STATE_BYTES);
  regex.add(text);
  regex.compile();
  return (searched) => regex.match(searched.slice(0, SEARCHED_CHARACTERS)).length > 0;
}
