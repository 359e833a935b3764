import { RE2JS, RE2JSException } from 're2js';
import { MAX_REGEX_LENGTH } from '../../../domain/broadcast/filter-rules.ts';

/**
 * The most steps that a compiled expression may have. Repetitions are written out when an expression is compiled, so that a
 * short text can become a program of a hundred thousand steps, each of which counts for every character of a prompt.
 */
const MAX_REGEX_STEPS = 1_000;

/** An expression looks at this many characters at the beginning of a text. */
const SEARCHED_CHARACTERS = 4_096;

/** Says why an expression cannot be used as a filter; null if it can. */
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

/** Compiles an expression that `checkRegex` accepted. Case counts, and a match may begin anywhere. */
export function compileRegex(text: string): (searched: string) => boolean {
  const regex = RE2JS.compile(text);
  return (searched) => regex.test(searched.slice(0, SEARCHED_CHARACTERS));
}
