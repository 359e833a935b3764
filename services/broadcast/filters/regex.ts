import { RE2JS, RE2JSException, RE2Set } from 're2js';
import { MAX_REGEX_LENGTH } from '../../../domain/broadcast/filter-rules.ts';

/**
 * The most steps that a compiled expression may have. Repetitions are written out when an expression is compiled, so that a
 * short text can become a program of a hundred thousand steps, each of which counts for every character of a prompt. The
 * longest expression without such a repetition stays below this. Each step costs up to 0.1 ms for one text in the worst
 * case; ordinary expressions of any length take less than 1 ms in all.
 */
const MAX_REGEX_STEPS = 520;

/**
 * The memory in which an expression remembers what it has worked out. One that needs more is run without. The default of 8 MiB
 * makes expressions slow that are made to need it, because each character then adds a state.
 */
const MAX_STATE_BYTES = 256 * 1024;

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

/**
 * Compiles an expression. Case counts, and a match may begin anywhere. One that `checkRegex` refuses matches nothing: it was
 * stored before there was this limit, and must not keep the worker from its other work.
 */
export function compileRegex(text: string): (searched: string) => boolean {
  if (checkRegex(text) !== null) return () => false;
  const regex = new RE2Set(RE2Set.UNANCHORED, 0, MAX_STATE_BYTES);
  regex.add(text);
  regex.compile();
  return (searched) => regex.match(searched.slice(0, SEARCHED_CHARACTERS)).length > 0;
}
