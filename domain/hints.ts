/**
 * Lists the fields of a request that help the provider or repeat a result, and that no answer depends on. An endpoint
 * that cannot take them serves the request without them, unless the caller requires every parameter (ADR 0081).
 */

/** Hints that no endpoint lists among its parameters. */
export const UNLISTED_HINTS = [
  'metadata',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
] as const;

export const HINTS = [...UNLISTED_HINTS, 'seed', 'prediction'] as const;
