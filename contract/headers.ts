/** Defines the request and response headers that several operations share. */
import { z } from 'zod';
import { sessionId } from './request-metadata.ts';

/** The session header of operations with `session_id` in the body; the body takes precedence. */
export const sessionHeaders = z.object({
  'x-session-id': sessionId.optional().meta({ description: 'Used if the body has no `session_id`.' }),
});

/** The headers of operations that answer with bytes. Malformed values are ignored, as RFC 9110 requires. */
export const contentHeaders = z.object({
  range: z
    .string()
    .optional()
    .meta({ description: 'One byte range. A request for several ranges receives the whole file.' }),
  'if-range': z.string().optional().meta({ description: 'The `ETag` that the range belongs to.' }),
  'if-none-match': z
    .string()
    .optional()
    .meta({ description: 'The response is a 304 if the `ETag` is among these.' }),
});

/** The headers of operations with an `ETag` on JSON answers. */
export const conditionalHeaders = contentHeaders.pick({ 'if-none-match': true });

/** The headers of answers with an `ETag`. */
export const ENTITY_TAG_HEADERS = {
  ETag: 'Changes when the response changes.',
  'Cache-Control':
    '`private, no-cache`: a client must revalidate its copy with the `ETag` before it uses it again.',
} as const;

/** The header of the answers of operations that accept an `Idempotency-Key`. */
export const REPLAY_HEADER = {
  'Idempotent-Replayed': '`true` if an earlier request with the same key got this response.',
} as const;

/** The headers of operations that count requests. Only keys with a rate limit receive them. */
export const RATE_LIMIT_HEADERS = {
  'RateLimit-Limit': 'The number of requests that one interval allows. Present if the key has a rate limit.',
  'RateLimit-Remaining': 'The number of requests that are allowed now. Present if the key has a rate limit.',
  'RateLimit-Reset': 'Seconds until more requests are allowed than now. Present if the key has a rate limit.',
} as const;

/** The headers of deprecated operations. */
export const DEPRECATION_HEADERS = {
  Deprecation: 'The time since which the path is deprecated: `@` and Unix seconds (RFC 9745).',
  Link: 'The path to use instead, with `rel="successor-version"`.',
} as const;

/** The header of answers about a model that expires soon. */
export const SUNSET_HEADER = {
  Sunset:
    'When the model may be removed, as an HTTP date (RFC 8594). Present in the last 30 days before its `expiration_date` and after it.',
} as const;

/** The headers of every answer of a generation. */
export const GENERATION_HEADERS = {
  'x-generation-id': 'The id of the generation.',
  ...SUNSET_HEADER,
} as const;

/** The header of POST /responses that lists dropped tools. */
export const DROPPED_TOOLS_HEADER = {
  'Sluice-Dropped-Tools':
    'The types of the dropped hosted tools, in the order of the request. Present if tools were dropped.',
} as const;

/** The headers of every answer of a text generation. */
export const TEXT_GENERATION_HEADERS = {
  ...GENERATION_HEADERS,
  'x-output-limit':
    'The output limit that the gateway sent to the provider, in tokens of one answer. Present if the request set no limit and the remaining money does not pay for the longest answer.',
  'Sluice-Dropped-Fields':
    'The fields that the provider did not get because it cannot take them and no answer depends on them. Present if there are any.',
} as const;
