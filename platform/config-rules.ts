/** Describes the values of environment variables, such as durations, sizes and URLs, as zod schemas. */
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/**
 * A schema of the text of a variable. Its messages end a sentence that starts with the variable's name: "must be …".
 */
export type Rule<T> = z.ZodType<T, string>;

export const anyText = z.string();

/** Accepts texts that pass the test. */
function textThat(isValid: (text: string) => boolean, message: string): Rule<string> {
  return z.string().refine(isValid, message);
}

/**
 * Accepts what a header can carry as a credential, or a JSON object, for vendors that need more than a key. A key that
 * was copied with an ellipsis is neither.
 */
export const vendorKey = textThat(
  (text) => text.startsWith('{') || /^[!-~]+$/.test(text),
  'must be ASCII without spaces, because it is sent in a header, or a JSON object',
);

export function oneOf<const T extends string>(choices: readonly T[]): Rule<T> {
  return z.enum(choices, `must be one of ${choices.join(', ')}`);
}

/** A comma-separated list. */
export function listOf<T>(entry: Rule<T>): Rule<T[]> {
  return z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(entry));
}

/** A comma-separated list without repetitions. */
export function someOf<const T extends string>(choices: readonly T[]): Rule<T[]> {
  const isWithoutRepetition = (chosen: T[]) => new Set(chosen).size === chosen.length;
  return listOf(oneOf(choices)).refine(isWithoutRepetition, 'must not name anything twice');
}

export const trueOrFalse = oneOf(['true', 'false']).transform((text) => text === 'true');

export function wholeNumber(
  min: number,
  max: number,
  message = `must be a whole number from ${min} to ${max}`,
): Rule<number> {
  return z
    .string()
    .regex(/^\d+$/, message)
    .transform(Number)
    .pipe(z.number().min(min, message).max(max, message));
}

/** A number of processes, or `auto` for as many as suit the machine. */
export function processCount(max: number): Rule<number | 'auto'> {
  const message = `must be auto or a whole number from 1 to ${max}`;
  return z.union([z.literal('auto'), wholeNumber(1, max, message)], message);
}

/** Makes rules for whole numbers with a unit. `because` explains bounds that are not obvious. */
function measure(units: Record<string, number>, listed: string) {
  const pattern = new RegExp(`^(\\d{1,9})(${Object.keys(units).join('|')})$`);
  const read = (text: string) => {
    const [, amount, unit = ''] = pattern.exec(text) ?? [];
    return Number(amount) * (units[unit] ?? Number.NaN);
  };
  return (min: string, max: string, because?: string): Rule<number> => {
    const range = `must be from ${min} to ${max}${because === undefined ? '' : `: ${because}`}`;
    return z
      .string()
      .regex(pattern, `must be a whole number with a unit: ${listed}`)
      .transform(read)
      .pipe(z.number().min(read(min), range).max(read(max), range));
  };
}

/** Milliseconds, from `500ms`, `15s`, `5m`, `24h` or `7d`. */
export const duration = measure(
  { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 },
  'ms, s, m, h or d',
);

/** Bytes, from `512B`, `64KiB`, `1MiB` or `2GiB`. */
export const byteSize = measure({ B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }, 'B, KiB, MiB or GiB');

/** Comma-separated whole seconds. */
export const secondsList = listOf(wholeNumber(0, 7 * 86_400));

/** An absolute URL of one of the schemes, kept as written. */
export function urlOf(...schemes: string[]): Rule<string> {
  const error = `must be a URL that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`;
  return z.url({ protocol: new RegExp(`^(${schemes.join('|')})$`), error });
}

/** An http or https URL to which paths are appended: without query, fragment, userinfo or final slash. */
export const baseUrl = urlOf('https', 'http')
  .transform((text) => new URL(text))
  .refine(
    (url) => `${url.search}${url.hash}${url.username}${url.password}` === '',
    'must be a URL without query, fragment, user name or password',
  )
  .transform((url) => url.href.replace(/\/+$/, ''));

/** Origins of browser extensions and apps. Their schemes are unknown to URL parsers. */
const ORIGIN_OF_APP = /^(?!https?:)[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+(:\d+)?$/;

const isOrigin = (entry: string) => URL.parse(entry)?.origin === entry;

/**
 * Comma-separated origins as browsers send them, or `*`. An origin has scheme, host, and a port other than the default.
 */
export const origins = listOf(
  z
    .string()
    .refine((entry) => entry === '*' || !entry.includes('*'), {
      error: ({ input }) => `must name each origin by itself: ${String(input)} would match none`,
      abort: true,
    })
    .refine(
      (entry) => entry === '*' || ORIGIN_OF_APP.test(entry) || isOrigin(entry),
      'must be * or origins such as https://app.example.com, without a path or final slash',
    ),
);

/** Comma-separated http and https origins. */
export const httpOrigins = listOf(
  textThat(
    (entry) => /^https?:/.test(entry) && isOrigin(entry),
    'must be origins such as https://llm.example.com, without a path or final slash',
  ),
);

/** A symmetric secret as Standard Webhooks 1.0.0 writes it: `whsec_` and the base64 of 24 to 64 bytes. */
export const webhookSecret = textThat((text) => {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const { length } = Buffer.from(base64, 'base64');
  return length >= 24 && length <= 64;
}, 'must be whsec_ and the base64 of 24 to 64 bytes');

export const hostAndPort = textThat((text) => {
  const [, port] = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):(\d+)$/.exec(text) ?? [];
  return Number(port) >= 1 && Number(port) <= 65_535;
}, 'must be <host>:<port>');

/** The name of an HTTP header, in lower case as Node gives them. */
export const headerName = z
  .string()
  .toLowerCase()
  .regex(/^[a-z0-9-]+$/, 'must be the name of a header');

/** Makes a rule of a function, which rejects a text by a TypeError with the message. */
export function parsed<T>(parse: (text: string) => T): Rule<T> {
  return z.string().transform((text, context) => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue(error instanceof TypeError ? error.message : 'cannot be read');
      return z.NEVER;
    }
  });
}

/** A path, or a `file://` URL of one. */
export const absolutePath = parsed((text) => {
  const path = text.startsWith('file://') ? pathOfFileUrl(text) : text;
  if (!isAbsolute(path)) throw new TypeError('must be an absolute path');
  return path;
});

const S3_PATTERN = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/+([A-Za-z0-9_-][A-Za-z0-9._/-]*?))?\/*$/;

type Location = { kind: 'file'; directory: string } | { kind: 's3'; bucket: string; prefix: string };

/** Where media are stored: `file:///var/lib/sluice`, or `s3://bucket` with an optional prefix. */
export const objectStoreLocation = parsed((text): Location => {
  if (text.startsWith('file://')) return { kind: 'file', directory: pathOfFileUrl(text) };
  const [, bucket, prefix = ''] = S3_PATTERN.exec(text) ?? [];
  if (bucket === undefined) throw new TypeError('must be file:///<directory> or s3://<bucket>/<prefix>');
  return { kind: 's3', bucket, prefix };
});

function pathOfFileUrl(text: string): string {
  try {
    return fileURLToPath(text);
  } catch {
    throw new TypeError('must be a file URL with an absolute path and no host');
  }
}
