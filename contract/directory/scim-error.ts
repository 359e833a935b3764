import { z } from 'zod';

/** The media type of all answers of the SCIM server, including errors. */
export const SCIM_MEDIA_TYPE = 'application/scim+json; charset=utf-8';

const SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** The error message of SCIM (RFC 7644, section 3.12). */
export const scimError = z
  .object({
    schemas: z.tuple([z.literal(SCHEMA)]),
    status: z.string().meta({ description: 'The HTTP status, as text.' }),
    scimType: z.string().optional().meta({
      description: 'A word of RFC 7644 for programs, such as `uniqueness` or `invalidFilter`.',
    }),
    detail: z.string().meta({ description: 'Names the fields that are wrong, if any are.' }),
  })
  .meta({
    id: 'ScimError',
    description: 'Every answer of the SCIM server that is not a success has this body.',
  });

export type ScimErrorBody = z.output<typeof scimError>;
