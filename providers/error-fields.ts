/** Reads the message, code and status of an error in the shapes that vendors use. */
import { type Fields, isFields } from '../domain/fields.ts';

/** The facts of an error that its body states. */
export interface ErrorFields {
  message?: string | undefined;
  /** True: `message` is the `message` of an `error` object. */
  isErrorMessage?: boolean | undefined;
  code?: string | undefined;
  /** The status of the error, if the body has one. */
  status?: number | undefined;
  /** The wait that the vendor requests in the body. */
  retryAfterMs?: number | undefined;
}

/** The reason in `metadata` of another gateway of this kind, in every dialect. */
export const LOOP_DETECTED = 'loop_detected';

/** The fields that may hold a message, the most telling ones first. */
const MESSAGE_FIELDS = [
  'message',
  'Message',
  'msg',
  'error_msg',
  'error_message',
  'status_msg',
  'detail',
  'error',
  'err',
  'base_resp',
  'errors',
  'title',
];
/** MiniMax's codes in `base_resp` (platform.minimax.io, Error Codes, read 2026-11-27) as codes of other vendors. */
const CODES_OF_MINIMAX = new Map<unknown, string>([
  [1001, 'timeout_error'],
  [1002, 'rate_limit_error'],
  [1004, 'authentication_error'],
  [1008, 'insufficient_quota'],
  [1026, 'content_filter'],
  [1027, 'content_filter'],
  [1039, 'rate_limit_error'],
  [1041, 'rate_limit_error'],
  [1042, 'invalid_request_error'],
  [2013, 'invalid_request_error'],
  [2045, 'rate_limit_error'],
  [2049, 'invalid_api_key'],
  [2056, 'rate_limit_error'],
]);
/** The fields that hold an answer. Beside one of them, words about an error may be a warning. */
const ANSWER_FIELDS = ['choices', 'content', 'data', 'embeddings', 'output', 'results'];
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
    return { message: plainMessageOf(text.trim()) };
  }
}

/**
 * Reads `{ error: { message, code, type } }` (OpenAI), the same in a list (Google), `{ error: "…" }` (Ollama),
 * `{ message }` (Cohere), `{ detail: "…" }` and `{ detail: [{ loc, msg, type }] }` (FastAPI),
 * `{ detail: { error, message } }` and `{ detail: "…", error_type }` (fal), `{ errors: […] }`,
 * `{ err: { msg } }`, `{ error_code, error_msg }` (Baidu), `{ base_resp: { status_code, status_msg } }` (MiniMax),
 * `{ Message }` (AWS), or a string.
 */
export function readErrorFields(value: unknown): ErrorFields {
  const body = unlisted(value);
  const { error, err, base_resp: state, detail } = isFields(body) ? body : {};
  const message = (isFields(error) ? messageOf(error) : undefined) ?? messageOf(body);
  if (!isFields(body)) return { message };
  const first: unknown = Array.isArray(detail) ? detail[0] : detail;
  const source = [error, err, state, first].find(isFields) ?? body;
  const { metadata } = source;
  const isLoop = isFields(metadata) && metadata['reason'] === LOOP_DETECTED;
  const { reason, retryAfterMs } = readDetails(source['details']);
  const named = [
    source['code'],
    source['type'],
    isFields(detail) && detail['error'],
    body['error_type'],
    reason,
  ];
  const codes = isLoop ? [LOOP_DETECTED] : [codeOfMiniMax(source), ...named];
  const code = codes.find((field) => typeof field === 'string');
  const status = [source['code'], source['status'], source['error_code']].map(statusOf).find(isErrorStatus);
  const isErrorMessage = isFields(error) && typeof error['message'] === 'string';
  return { message, isErrorMessage, code, status, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** Reads the `reason` of Google's ErrorInfo and the `retryDelay` of its RetryInfo, such as `34.07s`. */
function readDetails(details: unknown): { reason?: unknown; retryAfterMs?: number } {
  if (!Array.isArray(details)) return {};
  const found = details.filter(isFields);
  const reason = found.find((entry) => typeof entry['reason'] === 'string')?.['reason'];
  const delay = found.find((entry) => typeof entry['retryDelay'] === 'string')?.['retryDelay'];
  const [, seconds] = /^(\d{1,6}(?:\.\d+)?)s$/.exec(String(delay)) ?? [];
  return seconds === undefined ? { reason } : { reason, retryAfterMs: Math.ceil(Number(seconds) * 1_000) };
}

/**
 * Returns whether an answer that began as a success states an error. An `error` that says nothing is none, and so is a
 * `base_resp` with the code 0.
 */
export function statesError(body: Fields): boolean {
  const { base_resp: state } = body;
  if (!isNothing(body['error']) || body['object'] === 'error') return true;
  if (isFields(state) && typeof state['status_code'] === 'number' && state['status_code'] !== 0) return true;
  const hasWords = [body['err'], body['error_msg'], body['error_message']].some((words) => !isNothing(words));
  return hasWords && !ANSWER_FIELDS.some((name) => typeof body[name] === 'object' && body[name] !== null);
}

function isNothing(error: unknown): boolean {
  if (typeof error === 'string') return error === '';
  return typeof error !== 'object' || error === null || Object.keys(error).length === 0;
}

/** Returns the only element of a list, in which Google answers errors; or else the value itself. */
export function unlisted(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 && isFields(value[0]) ? value[0] : value;
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

function codeOfMiniMax({ status_code: code }: Fields): string | undefined {
  return CODES_OF_MINIMAX.get(code);
}

/** Returns a number that may be a text. */
function statusOf(value: unknown): unknown {
  return typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
}

function isErrorStatus(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 400 && value <= 599;
}
