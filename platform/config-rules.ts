/** Parses and validates the values of environment variables, such as durations, sizes and URLs. */
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Parses the text of one variable. Throws a TypeError with the end of a sentence that starts with the variable's name:
 * "must be …".
 */
export type Rule<T> = (text: string) => T;

const DURATION_UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const SIZE_UNITS_BYTES = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;

export const anyText: Rule<string> = (text) => text;

/** Accepts what a header can carry as a credential. A key that was copied with an ellipsis is not one. */
export const headerText: Rule<string> = (text) => {
  if (!/^[!-~]+$/.test(text)) throw new Error('must be ASCII without spaces, because it is sent in a header');
  return text;
};

export function oneOf<const T extends string>(choices: readonly T[]): Rule<T> {
  return (text) => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice === undefined) throw new TypeError(`must be one of ${choices.join(', ')}`);
    return choice;
  };
}

/** A comma-separated list without repetitions. */
export function someOf<const T extends string>(choices: readonly T[]): Rule<T[]> {
  const rule = oneOf(choices);
  return (text) => {
    const chosen = splitList(text).map(rule);
    if (new Set(chosen).size < chosen.length) throw new TypeError('must not name anything twice');
    return chosen;
  };
}

export const trueOrFalse: Rule<boolean> = (text) => oneOf(['true', 'false'])(text) === 'true';

export function wholeNumber(min: number, max: number): Rule<number> {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new TypeError(`must be a whole number from ${min} to ${max}`);
    }
    return value;
  };
}

/** A number of processes, or `auto` for as many as suit the machine. */
export function processCount(max: number): Rule<number | 'auto'> {
  const rule = wholeNumber(1, max);
  return (text) => {
    if (text === 'auto') return 'auto';
    try {
      return rule(text);
    } catch {
      throw new TypeError(`must be auto or a whole number from 1 to ${max}`);
    }
  };
}

/**
 * Milliseconds, from a whole number with a unit: `500ms`, `15s`, `5m`, `24h`, `7d`. `because` explains bounds that are
 * not obvious.
 */
export function duration(min: string, max: string, because?: string): Rule<number> {
  return (text) => {
    const ms = readDuration(text);
    if (Number.isNaN(ms)) throw new TypeError('must be a whole number with a unit: ms, s, m, h or d');
    if (ms < readDuration(min) || ms > readDuration(max))
      throw new TypeError(`must be from ${min} to ${max}${because === undefined ? '' : `: ${because}`}`);
    return ms;
  };
}

/** Bytes, from a whole number with a unit: `1MiB`, `2GiB`. */
export function byteSize(min: string, max: string): Rule<number> {
  return (text) => {
    const bytes = readSize(text);
    if (Number.isNaN(bytes)) throw new TypeError('must be a whole number with a unit: B, KiB, MiB or GiB');
    if (bytes < readSize(min) || bytes > readSize(max)) throw new TypeError(`must be from ${min} to ${max}`);
    return bytes;
  };
}

/** An absolute URL of one of the schemes, kept as written. */
export function urlOf(...schemes: string[]): Rule<string> {
  return (text) => {
    if (!schemes.includes(URL.parse(text)?.protocol.slice(0, -1) ?? '')) {
      throw new TypeError(
        `must be a URL that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
      );
    }
    return text;
  };
}

/** An http or https URL to which paths are appended: without query, fragment, userinfo or final slash. */
export const baseUrl: Rule<string> = (text) => {
  const url = new URL(urlOf('https', 'http')(text));
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new TypeError('must be a URL without query, fragment, user name or password');
  }
  return url.href.replace(/\/+$/, '');
};

/** Origins of browser extensions and apps. Their schemes are unknown to URL parsers. */
const ORIGIN_OF_APP = /^(?!https?:)[a-z][a-z0-9+.-]*:\/\/[a-z0-9._-]+(:\d+)?$/;

/**
 * Comma-separated origins as browsers send them, or `*`. An origin has scheme, host, and a port other than the default.
 */
export const origins: Rule<string[]> = (text) => {
  const entries = splitList(text);
  for (const entry of entries) {
    if (entry === '*') continue;
    if (entry.includes('*'))
      throw new TypeError(`must name each origin by itself: ${entry} would match none`);
    if (!ORIGIN_OF_APP.test(entry) && URL.parse(entry)?.origin !== entry) {
      throw new TypeError(
        'must be * or origins such as https://app.example.com, without a path or final slash',
      );
    }
  }
  return entries;
};

/** Comma-separated http and https origins. */
export const httpOrigins: Rule<string[]> = (text) => {
  const entries = splitList(text);
  for (const entry of entries) {
    const url = URL.parse(entry);
    if (url?.origin !== entry || !/^https?:$/.test(url.protocol)) {
      throw new TypeError('must be origins such as https://llm.example.com, without a path or final slash');
    }
  }
  return entries;
};

/** A symmetric secret as Standard Webhooks 1.0.0 writes it: `whsec_` and the base64 of 24 to 64 bytes. */
export const webhookSecret: Rule<string> = (text) => {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const { length } = Buffer.from(base64, 'base64');
  if (length < 24 || length > 64) throw new TypeError('must be whsec_ and the base64 of 24 to 64 bytes');
  return text;
};

export const hostAndPort: Rule<string> = (text) => {
  const [, port] = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):(\d+)$/.exec(text) ?? [];
  if (port === undefined || Number(port) < 1 || Number(port) > 65_535)
    throw new TypeError('must be <host>:<port>');
  return text;
};

/** The name of an HTTP header, in lower case as Node gives them. */
export const headerName: Rule<string> = (text) => {
  if (!/^[A-Za-z0-9-]+$/.test(text)) throw new TypeError('must be the name of a header');
  return text.toLowerCase();
};

/** A path, or a `file://` URL of one. */
export const absolutePath: Rule<string> = (text) => {
  const path = text.startsWith('file://') ? pathOfFileUrl(text) : text;
  if (!isAbsolute(path)) throw new TypeError('must be an absolute path');
  return path;
};

/** Comma-separated whole seconds. */
export const secondsList: Rule<number[]> = (text) => splitList(text).map(wholeNumber(0, 7 * 86_400));

export function splitList(text: string): string[] {
  return text.split(',').map((entry) => entry.trim());
}

function readDuration(text: string): number {
  const [, amount, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  return Number(amount) * DURATION_UNITS_MS[unit as keyof typeof DURATION_UNITS_MS];
}

function readSize(text: string): number {
  const [, amount, unit] = /^(\d{1,9})(B|KiB|MiB|GiB)$/.exec(text) ?? [];
  return Number(amount) * SIZE_UNITS_BYTES[unit as keyof typeof SIZE_UNITS_BYTES];
}

function pathOfFileUrl(text: string): string {
  try {
    return fileURLToPath(text);
  } catch {
    throw new TypeError('must be a file URL with an absolute path and no host');
  }
}
