/** Speeds up chat streams: it extracts the text of similar chunks without parsing their JSON. */
import type { ChatChunk } from '../chat-adapter.ts';
import { TextChunk, type TextPattern } from '../text-chunk.ts';
import { readChunk } from './chat-checks.ts';

/** Matches a JSON string (RFC 8259, section 7): all characters but controls, quote and backslash, and the escapes. */
const JSON_STRING = /^"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"$/;
/** Matches the field's name. Within a string its quotes would be escaped, so it matches only fields. */
const CONTENT = /"content"\s*:\s*(?=")/g;
/**
 * The most patterns in a row that match no chunk. Making a pattern costs as much as parsing two chunks, and some
 * vendors' chunks differ in more than their text.
 */
const MAX_UNUSED = 4;
/** The longest chunk that becomes a pattern, which stays in memory until the stream ends. */
const MAX_PATTERN_LENGTH = 4_096;
const PROBE = 'a text\nto be found again';

interface Pattern extends TextPattern {
  readonly prefix: string;
  readonly suffix: string;
}

/**
 * Recognizes chunks of a stream that differ from an earlier one in their text only. Their JSON before and after the
 * text is equal, so it need not be parsed.
 */
export class TextMatcher {
  #pattern: Pattern | undefined;
  #unused = 0;

  match(data: string): TextChunk | undefined {
    const pattern = this.#pattern;
    if (pattern === undefined) return undefined;
    const { prefix, suffix } = pattern;
    const end = data.length - suffix.length;
    // Comparing slices is ten times as fast as `startsWith` and `endsWith`. If prefix and suffix overlap, nothing is
    // left between them.
    if (data.slice(0, prefix.length) !== prefix || data.slice(end) !== suffix) return undefined;
    const literal = data.slice(prefix.length, end);
    if (!JSON_STRING.test(literal)) return undefined;
    this.#unused = 0;
    return new TextChunk(pattern, literal);
  }

  /** Makes a pattern from the JSON of a chunk that was parsed. */
  learn(data: string, chunk: ChatChunk): void {
    if (this.#unused === MAX_UNUSED || data.length > MAX_PATTERN_LENGTH || !isText(chunk)) return;
    this.#unused += 1;
    this.#pattern = patternOf(data);
  }
}

/** Returns whether a chunk contains text only. Other fields must be processed in each chunk. */
function isText({ choices, usage }: ChatChunk): boolean {
  const [choice] = choices;
  if (choice === undefined || choices.length > 1 || typeof choice.delta.content !== 'string') return false;
  if ((usage ?? null) !== null || (choice.finish_reason ?? null) !== null) return false;
  return (
    hasOnlyFields(choice, ['index', 'delta', 'finish_reason']) &&
    hasOnlyFields(choice.delta, ['content', 'role'])
  );
}

function hasOnlyFields(fields: Record<string, unknown>, names: readonly string[]): boolean {
  return Object.entries(fields).every(
    ([name, value]) => names.includes(name) || value === null || value === '',
  );
}

function patternOf(data: string): Pattern | undefined {
  const [found, another] = data.matchAll(CONTENT);
  if (found === undefined || another !== undefined) return undefined;
  const prefix = data.slice(0, found.index + found[0].length);
  const literal = /^"(?:[^"\\]|\\.)*"/.exec(data.slice(prefix.length))?.[0];
  if (literal === undefined) return undefined;
  const suffix = data.slice(prefix.length + literal.length);
  const chunkWith = (text: string): ChatChunk =>
    readChunk(JSON.parse(prefix + JSON.stringify(text) + suffix), () => {});
  const [choice] = chunkWith(PROBE).choices;
  return choice?.delta.content === PROBE ? { index: choice.index, chunkWith, prefix, suffix } : undefined;
}
