/** Defines the users, groups and lists that the SCIM server returns. */
import { z } from 'zod';

const meta = z.object({
  resourceType: z.string(),
  created: z.iso.datetime().optional(),
  lastModified: z.iso.datetime().optional(),
  location: z.string().optional(),
  version: z.string().optional().meta({ description: 'The weak ETag of the resource.' }),
});

const resource = {
  schemas: z.array(z.string()),
  id: z.string(),
  externalId: z.string().optional(),
  meta: meta.partial().optional(),
};

/**
 * A reference to another resource. Its URL is sent as `$ref`, which OpenAPI cannot describe, because `$ref` is a
 * keyword there.
 */
const reference = z.looseObject({ value: z.string().optional(), type: z.string().optional() });

/** A user. Further attributes of the schema are present if the provider sent them. */
export const provisionedUser = z
  .looseObject({
    ...resource,
    userName: z.string().optional(),
    active: z.boolean().optional(),
    groups: z.array(reference).optional().meta({ description: 'The groups of the user; read-only.' }),
  })
  .meta({ id: 'ProvisionedUser', description: 'A user of RFC 7643.' });

export type ProvisionedUser = z.output<typeof provisionedUser>;

export const provisionedGroup = z
  .looseObject({
    ...resource,
    displayName: z.string().optional(),
    members: z.array(reference).optional(),
  })
  .meta({ id: 'ProvisionedGroup', description: 'A group of RFC 7643.' });

export type ProvisionedGroup = z.output<typeof provisionedGroup>;

/** A part of the discovery documents of RFC 7643, sections 5 to 7. */
export const discoveryDocument = z
  .looseObject({ schemas: z.array(z.string()), id: z.string().optional(), meta: meta.optional() })
  .meta({ id: 'ScimDiscoveryDocument' });

export type DiscoveryDocument = z.output<typeof discoveryDocument>;

/** Returns the schema of a ListResponse message. */
export function listOfResources<Resource extends z.ZodType>(id: string, one: Resource) {
  return z
    .object({
      schemas: z.array(z.literal('urn:ietf:params:scim:api:messages:2.0:ListResponse')).length(1),
      totalResults: z.int(),
      startIndex: z.int(),
      itemsPerPage: z.int(),
      Resources: z.array(one),
    })
    .meta({ id, description: 'The ListResponse message of RFC 7644, section 3.4.2.' });
}
