/** Removes secrets and customer data from values and lines that are logged. */
import { isNativeError } from 'node:util/types';

const REDACTED = '[redacted]';
/** Matches lines that may hold a secret. Only these few are searched further, because every line is tested. */
const MAY_HOLD_SECRET = /:\/\/|[?&]|\bsk-|\bwhs[ek]|bearer|basic/i;
/** The deepest nesting that is logged. It limits the output for sockets or requests that are logged by mistake. */
const MAX_DEPTH = 6;
const MAX_ENTRIES = 50;

/** Matches names of secret fields, in lower case and without separators: `X-Api-Key` is `xapikey`. */
const SECRET_NAME =
  /^(key|pass|pwd)$|(authorization|cookies?|token|secrets?|password|passphrase|apikeys?|privatekey|secretkey|accesskey|masterkey|encryptionkeys?|managementkey|signatures?|credentials?)$/;

/**
 * Fields of errors that hold values of rows or parameters, such as a prompt. They come from Postgres (`Failing row
 * contains …`, `JSON data, line 1: …`) and from Knex's timeouts. `data` is the answer that undici's HTTP parser could
 * not read. `message` and `sql` are kept, because they name columns only.
 */
const QUOTED_VALUES = new Set(['detail', 'where', 'internalQuery', 'bindings', 'data']);

/** Caches whether each name is secret, because the same few names are in every line. */
const secretNames = new Map<string, boolean>();

/**
 * Returns a copy for the log. Values under secret names are removed at any depth, and so are row values in errors of
 * Postgres. Errors become plain objects with their causes, bigints decimal strings, bytes their length; a circular
 * reference becomes a text.
 */
export function redact(value: unknown): unknown {
  return redactValue(value, 0, new Set());
}

/**
 * Removes secrets that are recognizable by their form from a line: gateway and vendor keys, webhook secrets,
 * Authorization values, a URL's userinfo, and query parameters that grant access.
 */
export function redactText(text: string): string {
  if (!MAY_HOLD_SECRET.test(text)) return text;
  return text
    .replace(/\b(sk-(?:[a-z]+-)?|whs[ek]c?_)[\w+/=-]{8,}/g, `$1${REDACTED}`)
    .replace(/\b(bearer|basic)\s+[\w+/=.~-]{6,}/gi, `$1 ${REDACTED}`)
    .replace(/:\/\/[^\s/?#"'\\]+@/g, `://${REDACTED}@`)
    .replace(
      /([?&](?:[\w.-]*(?:signature|token|secret|key|password|credential)[\w-]*|sig|code)=)[^&#\s"'\\]+/gi,
      `$1${REDACTED}`,
    );
}

function redactValue(value: unknown, depth: number, above: Set<object>): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (above.has(value)) return '[circular]';
  if (depth > MAX_DEPTH) return '[deep]';
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  above.add(value);
  const copy = redactObject(value, depth + 1, above);
  above.delete(value);
  return copy;
}

function redactObject(value: object, depth: number, above: Set<object>): unknown {
  if (value instanceof Error || isNativeError(value)) return redactError(value, depth, above);
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return redactValue(value.toJSON(), depth, above);
  if (value instanceof Map || value instanceof Set) return `[${value.constructor.name} of ${value.size}]`;
  if (Array.isArray(value)) {
    return value.slice(0, MAX_ENTRIES).map((item: unknown) => redactValue(item, depth, above));
  }
  return redactEntries(Object.entries(value), depth, above);
}

function redactEntries(entries: [string, unknown][], depth: number, above: Set<object>): object {
  const copy: Record<string, unknown> = {};
  for (const [name, item] of entries.slice(0, MAX_ENTRIES)) {
    copy[name] = isSecret(name, item) ? REDACTED : redactValue(item, depth, above);
  }
  return copy;
}

/**
 * Returns an error as a plain object. `message`, `stack` and `cause` are not enumerable, so they are copied by name.
 */
function redactError(error: Error, depth: number, above: Set<object>): object {
  const { name, message, stack, cause } = error;
  const entries = Object.entries(error).map(withoutQuotedValue);
  return {
    type: name,
    message,
    ...redactEntries(entries, depth, above),
    stack,
    cause: redactValue(cause, depth, above),
  };
}

function withoutQuotedValue([name, value]: [string, unknown]): [string, unknown] {
  return [name, QUOTED_VALUES.has(name) && value !== undefined ? REDACTED : value];
}

/** Returns whether a field is secret. Null, undefined and booleans are not, so that the log shows absent secrets. */
function isSecret(name: string, value: unknown): boolean {
  if (value === undefined || value === null || typeof value === 'boolean') return false;
  const known = secretNames.get(name);
  if (known !== undefined) return known;
  const secret = SECRET_NAME.test(name.toLowerCase().replace(/[-_.\s]/g, ''));
  if (secretNames.size < 1_000) secretNames.set(name, secret);
  return secret;
}
