import { z } from 'zod';
import { sessionId } from './request-metadata.ts';

/** The session header of operations with `session_id` in the body; the body takes precedence. */
export const sessionHeaders = z.object({
  'x-session-id': sessionId.optional().meta({ description: 'Used when the body has no `session_id`.' }),
});

/** The headers of operations that answer with bytes. Malformed values are ignored, as RFC 9110 requires. */
export const contentHeaders = z.object({
  range: z.string().optional().meta({ description: 'One byte range; several are answered in full.' }),
  'if-range': z.string().optional().meta({ description: 'The `ETag` that the range belongs to.' }),
  'if-none-match': z.string().optional().meta({ description: 'Answers 304 when the `ETag` is among these.' }),
});

/** The headers of operations with an `ETag` on JSON answers. */
export const conditionalHeaders = contentHeaders.pick({ 'if-none-match': true });

/** The headers of answers with an `ETag`. */
export const ENTITY_TAG_HEADERS = {
  ETag: 'Changes with the answer.',
  'Cache-Control': '`private, no-cache`: to be asked about, with the `ETag`, before it is used again.',
} as const;

/** The headers of operations that count requests. Only keys with a rate limit receive them. */
export const RATE_LIMIT_HEADERS = {
  'RateLimit-Limit': 'With a rate limit: how many requests one interval takes.',
  'RateLimit-Remaining': 'With a rate limit: how many more it takes now.',
  'RateLimit-Reset': 'With a rate limit: seconds until it takes more than now.',
} as const;

/** The headers of deprecated operations. */
export const DEPRECATION_HEADERS = {
  Deprecation: 'Since when the path is deprecated: `@` and Unix seconds (RFC 9745).',
  Link: 'The path to use, with `rel="successor-version"`.',
} as const;

/** The header of every answer of a generation. */
export const GENERATION_ID_HEADER = { 'x-generation-id': 'The id of the generation.' } as const;

/** The header of POST /responses that lists dropped tools. */
export const DROPPED_TOOLS_HEADER = {
  'Sluice-Dropped-Tools':
    'Present when hosted tools were left out: their types, in the order of the request.',
} as const;

/** The headers of every answer of a text generation. */
export const TEXT_GENERATION_HEADERS = {
  ...GENERATION_ID_HEADER,
  'x-output-limit':
    'Present when the request set no limit and the money that is left does not pay for the longest answer: the limit that the provider was sent, in tokens of one answer.',
} as const;
