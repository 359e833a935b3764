/** Keeps credentials of a destination out of the excerpt of a tool's response that its owner may read. */
import { SECRET_FIELDS, URL_FIELDS } from '../../../domain/broadcast/masked-config.ts';
import { secretPartsOf } from '../../../domain/broadcast/masked-url.ts';
import { spellingsOf } from '../../../platform/secret-spellings.ts';

const EXCERPT_BYTES = 1_024;

/** The shortest part of a URL that is taken for a secret. */
const MIN_URL_PART = 8;

/**
 * Matches control characters other than tab and line feed. An answer may be binary, and Postgres stores no NUL in a
 * text.
 */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/**
 * Returns the secrets of a configuration and of the request made from it, in every encoding in which an answer may
 * repeat them.
 */
export function secretsOf(
  config: { headers?: Record<string, string> },
  requestHeaders: Record<string, string> = {},
): string[] {
  const secrets = Object.entries(config).flatMap(([field, value]) => {
    if (typeof value !== 'string') return [];
    if (URL_FIELDS.has(field)) return secretsOfUrl(value);
    return SECRET_FIELDS.has(field) ? [value, userPartOf(value)] : [];
  });
  const headers = [...Object.values(config.headers ?? {}), requestHeaders['authorization'] ?? ''];
  // The credentials of `Basic …` and `Bearer …` may be repeated without the scheme.
  for (const header of headers) secrets.push(header, /^\S+ (.+)$/.exec(header)?.[1] ?? '');
  return [...new Set(secrets.flatMap(spellingsOf))].sort((a, b) => b.length - a.length);
}

/** Returns at most 1 KiB of an answer as text, without the secrets. Undefined when the answer has no text. */
export function excerptOf(body: Buffer, secrets: readonly string[]): string | undefined {
  let text = body.toString('utf8').replace(CONTROL, '');
  for (const secret of secrets) text = text.replaceAll(secret, '[secret]');
  // The answer was read to a limit, which may lie within a secret.
  for (const secret of secrets) text = withoutBeginningOf(secret, text);
  const cut = new TextDecoder().decode(Buffer.from(text).subarray(0, EXCERPT_BYTES), { stream: true });
  return cut === '' ? undefined : cut;
}

function withoutBeginningOf(secret: string, text: string): string {
  const last = text.at(-1);
  for (let length = Math.min(secret.length - 1, text.length); length >= 4; length -= 1) {
    if (secret[length - 1] === last && text.endsWith(secret.slice(0, length))) return text.slice(0, -length);
  }
  return text;
}

/**
 * Returns the parts of a URL that may be secret, and path and query as a whole, which many servers repeat. Short ones
 * are kept: they are words such as `hooks`, and replacing them would make the excerpt unreadable.
 */
function secretsOfUrl(text: string): string[] {
  const parts = secretPartsOf(text);
  const { pathname = '', search = '' } = URL.parse(text) ?? {};
  const whole = parts.length === 0 ? [] : [pathname, pathname + search];
  return [...parts, ...whole]
    .flatMap((part) => [part, decoded(part)])
    .filter((secret) => secret.length >= MIN_URL_PART);
}

/** Returns a part of a URL without its percent-encoding; the part itself when its encoding is not valid. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Returns the key within a DSN. */
function userPartOf(secret: string): string {
  return URL.parse(secret)?.username ?? '';
}
