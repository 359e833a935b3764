/** Reads the message, code and status of an error in the shapes that vendors use. */

/** The facts of an error that its body states. */
export interface ErrorFields {
  message?: string;
  /** True: `message` is the `message` of an `error` object. */
  isErrorMessage?: boolean;
  code?: string;
  /** The status of the error, if the body has one. */
  status?: number;
}

type Fields = Record<string, unknown>;

/** The reason in `metadata` of another gateway of this kind, in every dialect. */
export const LOOP_DETECTED = 'loop_detected';

/** The fields that may hold a message, the most telling ones first. */
const MESSAGE_FIELDS = ['message', 'msg', 'detail', 'error', 'errors', 'title'];
/** The depth to which messages are searched, and the most messages of a list that are quoted. */
const MAX_DEPTH = 4;
const MAX_MESSAGES = 5;
/** The part of a page in which its title is searched. */
const MAX_HEAD_CHARACTERS = 2_000;

/**
 * Returns the facts in the text of a refusal. The text is JSON in one of the shapes of `readErrorFields`, a page of
 * HTML, of which only the title counts, or a plain message.
 */
export function parseErrorFields(text: string): ErrorFields {
  try {
    return readErrorFields(JSON.parse(text));
  } catch {
    const message = plainMessageOf(text.trim());
    return message === undefined ? {} : { message };
  }
}

/**
 * Reads `{ error: { message, code, type } }` (OpenAI), the same in a list (Google), `{ error: "…" }` (Ollama),
 * `{ message }` (Cohere), `{ detail: "…" }` and `{ detail: [{ loc, msg }] }` (FastAPI), `{ errors: […] }`, or a string.
 */
export function readErrorFields(value: unknown): ErrorFields {
  const body = unlisted(value);
  const { error, detail } = isObject(body) ? body : {};
  const message = (isObject(error) ? messageOf(error) : undefined) ?? messageOf(body);
  if (!isObject(body)) return message === undefined ? {} : { message };
  const source = [error, detail].find(isObject) ?? body;
  const { metadata } = source;
  const isLoop = isObject(metadata) && metadata['reason'] === LOOP_DETECTED;
  const codes = isLoop ? [LOOP_DETECTED] : [source['code'], source['type']];
  const code = codes.find((field) => typeof field === 'string');
  const status = [source['code'], source['status']].find(isErrorStatus);
  return {
    ...(message === undefined ? {} : { message }),
    isErrorMessage: isObject(error) && typeof error['message'] === 'string',
    ...(code === undefined ? {} : { code }),
    ...(status === undefined ? {} : { status }),
  };
}

/** Returns the only element of a list, in which Google answers errors; or else the value itself. */
export function unlisted(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 && isObject(value[0]) ? value[0] : value;
}

/** Returns the message that a value holds, or the messages of a list, each with the place of its field. */
function messageOf(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (depth === MAX_DEPTH || typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    const messages = value.slice(0, MAX_MESSAGES).map((item) => messageOf(item, depth + 1));
    return messages.filter((message) => message !== undefined).join('; ') || undefined;
  }
  const fields = value as Fields;
  for (const name of MESSAGE_FIELDS) {
    const message = messageOf(fields[name], depth + 1);
    if (message !== undefined) return `${placeOf(fields['loc'])}${message}`;
  }
  return undefined;
}

/** Returns the place of a field as FastAPI states it, such as `body.messages.0.role: `. */
function placeOf(loc: unknown): string {
  if (!Array.isArray(loc)) return '';
  const steps = loc.filter((step) => typeof step === 'string' || typeof step === 'number');
  return steps.length === 0 ? '' : `${steps.join('.')}: `;
}

/** Returns the title of a page, or a text that is neither a page nor incomplete JSON. */
function plainMessageOf(text: string): string | undefined {
  if (text.startsWith('<')) {
    const [, title] = /<title[^<>]*>([^<]+)/i.exec(text.slice(0, MAX_HEAD_CHARACTERS)) ?? [];
    return title;
  }
  // Bytes that are no UTF-8 were decoded to U+FFFD.
  return text === '' || /^(?:\{|\[\s*[{"[])|\uFFFD/.test(text) ? undefined : text;
}

function isErrorStatus(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 400 && value <= 599;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
