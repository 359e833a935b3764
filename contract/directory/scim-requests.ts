/** Defines the query parameters, headers and bodies of requests to the SCIM server. */
import { z } from 'zod';
import { MAX_SCIM_RESULTS } from '../../domain/directory/scim/documents.ts';
import type { BodyDefinition } from '../operation.ts';

/** Returns a schema of a whole number in a query. RFC 7644 requires clamping to the bounds instead of an error. */
function clamped({ min, max = Number.MAX_SAFE_INTEGER }: { min: number; max?: number }) {
  return z
    .string()
    .regex(/^[+-]?\d{1,15}$/, 'must be a whole number')
    .transform((value) => Math.min(max, Math.max(min, Number(value))))
    .pipe(z.int());
}

const unsupported = z.string().optional().meta({ description: 'Not supported; the response is a 501.' });

/** The query parameters that select the attributes of an answer. A request uses one of the two. */
export const projectionQuery = {
  attributes: z.string().optional().meta({
    description: 'Only these attributes, separated by commas; `id` and `schemas` are always present.',
  }),
  excludedAttributes: z
    .string()
    .optional()
    .meta({ description: 'All attributes but these, separated by commas.' }),
};

export const scimListQuery = z.object({
  filter: z
    .string()
    .optional()
    .meta({
      description: 'A filter of RFC 7644, of at most 2,000 characters.',
      examples: ['userName eq "ada@example.com"'],
    }),
  startIndex: clamped({ min: 1 })
    .default(1)
    .meta({ description: 'The index of the first resource, from 1.' }),
  count: clamped({ min: 0, max: MAX_SCIM_RESULTS })
    .default(100)
    .meta({ description: `At most ${MAX_SCIM_RESULTS}; 0 returns the total only.` }),
  ...projectionQuery,
  sortBy: unsupported,
  sortOrder: unsupported,
  cursor: unsupported,
});

export type ScimListQuery = z.output<typeof scimListQuery>;

export const scimReadHeaders = z.object({
  'if-none-match': z
    .string()
    .optional()
    .meta({ description: 'The response is a 304 if the `ETag` of the resource is among these.' }),
});

export const scimWriteHeaders = z.object({
  'if-match': z
    .string()
    .optional()
    .meta({ description: 'The response is a 412 unless the `ETag` of the resource is among these.' }),
});

/**
 * Returns a body without detailed schema: providers deviate from the RFC in many ways, so the SCIM server parses it
 * itself.
 */
export function scimBody(id: string, description: string, examples: BodyDefinition['examples']) {
  return {
    schema: z.looseObject({}).meta({ id, description }),
    limit: 'scim',
    mediaTypes: ['application/scim+json'],
    // Larger than any accepted list. The code that reads the members checks the real limit.
    maxEntries: 300_000,
    examples,
  } as const satisfies BodyDefinition;
}

/** Returns the body of a PATCH of a user or group. */
export function patchBody(id: string, examples: BodyDefinition['examples']) {
  return scimBody(
    id,
    'A PatchOp message of RFC 7644, section 3.5.2: `Operations` with `op`, `path` and `value`.',
    examples,
  );
}
