/** Combines the SCIM attributes of each kind of resource into one list. */
import {
  complex,
  dateTime,
  reference,
  type ScimAttribute,
  type ScimResourceType,
  text,
} from './attribute.ts';
import { GROUP_ATTRIBUTES, GROUP_SCHEMA } from './group-schema.ts';
import { ENTERPRISE_ATTRIBUTES, ENTERPRISE_SCHEMA, USER_ATTRIBUTES, USER_SCHEMA } from './user-schema.ts';

/** The attributes that every resource has (RFC 7643, section 3.1). No schema document lists them. */
const COMMON_ATTRIBUTES: readonly ScimAttribute[] = [
  reference('schemas', 'The schemas of the resource.', ['uri'], {
    multiValued: true,
    mutability: 'readOnly',
    returned: 'always',
  }),
  text('id', 'The id of the resource.', {
    caseExact: true,
    mutability: 'readOnly',
    returned: 'always',
    uniqueness: 'server',
  }),
  text('externalId', 'The id of the resource at the provider.', { caseExact: true }),
  complex(
    'meta',
    'Facts about the resource.',
    [
      text('resourceType', 'The kind of the resource.', { caseExact: true, mutability: 'readOnly' }),
      dateTime('created', 'When it was created.', { mutability: 'readOnly' }),
      dateTime('lastModified', 'When it was last changed.', { mutability: 'readOnly' }),
      reference('location', 'The URI of the resource.', ['uri'], { mutability: 'readOnly' }),
      text('version', 'The ETag of the resource.', { caseExact: true, mutability: 'readOnly' }),
    ],
    { mutability: 'readOnly' },
  ),
];

/** The extension is treated as one complex attribute whose name is the URN of its schema. */
const ENTERPRISE = complex(ENTERPRISE_SCHEMA, 'Attributes of employees.', ENTERPRISE_ATTRIBUTES);

/** All attributes of each kind of resource, as resources hold them. */
export const ATTRIBUTES_OF: Readonly<Record<ScimResourceType, readonly ScimAttribute[]>> = {
  User: [...COMMON_ATTRIBUTES, ...USER_ATTRIBUTES, ENTERPRISE],
  Group: [...COMMON_ATTRIBUTES, ...GROUP_ATTRIBUTES],
};

/** The schema whose URN may stand before the name of an attribute. */
export const SCHEMA_OF: Readonly<Record<ScimResourceType, string>> = {
  User: USER_SCHEMA,
  Group: GROUP_SCHEMA,
};
