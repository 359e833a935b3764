/** Defines the fields that configurations of observability destinations share, such as URLs, secrets and names. */
import { z } from 'zod';
import { PATH_VARIABLES } from '../../domain/broadcast/destination-patterns.ts';
import { looksMasked } from '../../domain/masked-secret.ts';
import { issuesOfHeaders } from '../../domain/broadcast/request-headers.ts';
import { httpUrl, text } from '../text.ts';

const MAX_URL_LENGTH = 2_048;
const MAX_SECRET_LENGTH = 4_096;

/** A name that is sent in the body of requests. */
export const name = text({ min: 1, max: 256 });

/** A text that is sent in a header. */
export const headerText = z
  .string()
  .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, 'must be printable ASCII characters')
  .max(256);

/** A secret. It is sent in a header. */
export const secret = z
  .string()
  .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, 'must be printable ASCII characters')
  .max(MAX_SECRET_LENGTH)
  .meta({ writeOnly: true });

/** A complete address that requests are sent to. */
export const fullUrl = httpUrl({ max: MAX_URL_LENGTH }).refine(
  (value) => !value.includes('#'),
  'must not have a fragment',
);

/** A base address to which a path is added. */
export const baseUrl = httpUrl({ max: MAX_URL_LENGTH }).refine(
  (value) => !/[?#]/.test(value),
  'must not have a query or a fragment',
);

/** A Sentry DSN: a URL with a public key before its host. */
export const dsn = secret.refine(
  (value) => looksMasked(value) || /^https?:\/\/[0-9A-Za-z]+(?::[0-9A-Za-z]+)?@[^\s/@]+\/\S+$/.test(value),
  'must be a DSN such as https://key@o1.ingest.sentry.io/2',
);

/** The account in Snowflake's host names. */
export const snowflakeAccount = z
  .string()
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?)*$/,
    'must be letters, digits, hyphens and underscores, in parts joined by dots',
  )
  .max(200);

/** The region in Amazon's host names. */
export const s3Region = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, {
  error: 'must be lower-case letters, digits and hyphens',
});

export const s3Bucket = z
  .string()
  .regex(
    /^(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    'must be 3 to 63 lower-case letters, digits, dots and hyphens',
  );

/** The name of a database or table in ClickHouse. */
export const sqlName = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
    'must be letters, digits and underscores, and must not begin with a digit',
  );

/** A name in Snowflake's SQL, which may contain a dollar sign. */
export const snowflakeName = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_$]{0,254}$/,
    'must be letters, digits, underscores and dollar signs, and must begin with a letter or an underscore',
  );

const OBJECT_KEY_PATTERN = /^[A-Za-z0-9!_.*'()=:@+, -]+(?:\/[A-Za-z0-9!_.*'()=:@+, -]+)*$/;

/** The prefix of an object's key. */
export const objectKey = z
  .string()
  .max(512)
  .refine(isObjectKey, 'must be names joined by single slashes, and none of them may be . or ..');

/** An object's key with variables in braces. */
export const objectKeyTemplate = z
  .string()
  .max(512)
  .refine(
    (value) => isObjectKey(value.replaceAll(/\{(\w+)\}/g, fillIn)),
    `must be names joined by single slashes; in braces, only ${PATH_VARIABLES.join(', ')}`,
  );

function isObjectKey(value: string): boolean {
  const isRelative = value.split('/').some((segment) => /^\.{1,2}$/.test(segment));
  return OBJECT_KEY_PATTERN.test(value) && !isRelative;
}

/** Replaces a known variable. An unknown one stays in its braces, which the pattern for keys rejects. */
function fillIn(braced: string, templateName: string): string {
  return PATH_VARIABLES.some((known) => known === templateName) ? 'x' : braced;
}

/** Headers that the owner adds to every request. */
export const headers = z
  .record(z.string(), z.string())
  .superRefine((value, context) => {
    for (const { path, message } of issuesOfHeaders(value)) {
      context.addIssue({ code: 'custom', path, message });
    }
  })
  .optional();
