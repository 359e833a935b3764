/** Defines the error answers of the SCIM server. */
import { z } from 'zod';

/** The media type of all answers of the SCIM server, including errors. */
export const SCIM_MEDIA_TYPE = 'application/scim+json; charset=utf-8';

const SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** The error message of SCIM (RFC 7644, section 3.12). */
export const scimError = z
  .object({
    schemas: z.array(z.literal(SCHEMA)).length(1),
    status: z.string().meta({ description: 'The HTTP status, as text.' }),
    scimType: z.string().optional().meta({
      description: 'An error type of RFC 7644, such as `uniqueness` or `invalidFilter`.',
    }),
    detail: z.string().meta({ description: 'Names the invalid fields, if there are any.' }),
  })
  .meta({
    id: 'ScimError',
    description: 'The body of every error response of the SCIM server.',
  });

export type ScimErrorBody = z.output<typeof scimError>;
