/** Recognizes the most frequent chats, which their schema returns unchanged, at a fraction of its time. */

type Check = (value: unknown) => boolean;

const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant']);

const isText: Check = (value) => typeof value === 'string';
const isSwitch: Check = (value) => typeof value === 'boolean';
const isName: Check = (value) => typeof value === 'string' && /^[\x21-\x7e]{1,256}$/.test(value);
const isTokens: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 1;
const upTo =
  (most: number): Check =>
  (value) =>
    typeof value === 'number' && value >= 0 && value <= most;

const isMessage: Check = (value) => isObjectOf(MESSAGE, value) && 'role' in value && 'content' in value;

type Fields = ReadonlyMap<string, Check>;

const MESSAGE: Fields = new Map([
  ['role', (value) => ROLES.has(value)],
  ['content', isText],
]);

const STREAM_OPTIONS: Fields = new Map([['include_usage', isSwitch]]);

const BODY: Fields = new Map([
  ['model', isName],
  ['messages', (value) => Array.isArray(value) && value.length > 0 && value.every(isMessage)],
  ['stream', isSwitch],
  ['stream_options', (value) => isObjectOf(STREAM_OPTIONS, value)],
  ['temperature', upTo(2)],
  ['top_p', upTo(1)],
  ['max_tokens', isTokens],
  ['max_completion_tokens', isTokens],
]);

/** Returns true only for bodies of chats that `chatRequest` accepts and returns unchanged; for most of them. */
export function isPlainChat(body: unknown): boolean {
  return isObjectOf(BODY, body) && 'messages' in body;
}

function isObjectOf(fields: Fields, value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  for (const name in value) {
    if (fields.get(name)?.((value as Record<string, unknown>)[name]) !== true) return false;
  }
  return true;
}
