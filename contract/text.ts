/** Provides schemas for text, names and URLs in requests. */
import { z } from 'zod';
import { hasBlankOrControl } from '../domain/url-text.ts';

interface TextRule {
  min?: number;
  max?: number;
}

/**
 * Returns the schema of text that the database and all upstreams can hold: well-formed Unicode without NUL. Lengths
 * count code points, as in JSON Schema.
 */
export function text({ min, max }: TextRule = {}) {
  return z
    .string()
    .refine((value) => value.isWellFormed() && !value.includes('\0'), 'must be Unicode text without NUL')
    .refine((value) => min === undefined || value.length >= min, 'must not be empty')
    .refine((value) => max === undefined || isAtMost(value, max), `must have at most ${max} characters`)
    .meta({
      ...(min === undefined ? {} : { minLength: min }),
      ...(max === undefined ? {} : { maxLength: max }),
    });
}

/**
 * Returns whether a text has at most `max` code points. It counts them only if the length in UTF-16 units does not
 * decide.
 */
function isAtMost(value: string, max: number): boolean {
  if (value.length <= max) return true;
  if (value.length > 2 * max) return false;
  let characters = 0;
  for (const _ of value) characters += 1;
  return characters <= max;
}

/** Returns the schema of a name for people. Unicode whitespace alone is rejected. */
export function displayName({ max }: { max: number }) {
  return text({ min: 1, max }).refine(
    (value) => value === '' || /\P{White_Space}/u.test(value),
    'must not be whitespace only',
  );
}

/**
 * Returns the schema of an absolute http or https URL. The outbound guard, not the schema, decides which addresses are
 * allowed.
 */
export function httpUrl({ max }: { max: number }) {
  return z
    .string()
    .refine(isHttpUrl, {
      error: ({ input }) =>
        typeof input === 'string' && hasBlankOrControl(input)
          ? 'must not contain blanks or control characters'
          : 'must be an absolute http or https URL',
    })
    .refine((value) => value.length <= max, `must have at most ${max} characters`)
    .meta({ format: 'uri', maxLength: max });
}

const MAX_MEDIA_URL_LENGTH = 8192;

/**
 * Returns the schema of reference media: a URL, or the bytes as a base64 data URL. The pattern inspects only the head
 * of a data URL, so its cost does not grow with the media.
 */
export function mediaUrl(kind: 'image' | 'audio' | 'video') {
  const dataUrl = new RegExp(`^data:${kind}/[\\w.+-]+(;[\\w.+-]+=[\\w.+-]+)*;base64,[A-Za-z0-9+/]`, 'i');
  return z
    .string()
    .refine(
      (value) => dataUrl.test(value) || (value.length <= MAX_MEDIA_URL_LENGTH && isHttpUrl(value)),
      `must be an http or https URL of at most ${MAX_MEDIA_URL_LENGTH} characters, or a base64 data URL of type ${kind}/*`,
    )
    .meta({ format: 'uri' });
}

export function isHttpUrl(value: string): boolean {
  return (
    /^https?:\/\/[^/]/i.test(value) &&
    value.isWellFormed() &&
    !hasBlankOrControl(value) &&
    URL.canParse(value)
  );
}
