/** Builds the discovery documents of the SCIM server. */
import type { ScimAttribute } from './attribute.ts';
import { GROUP_ATTRIBUTES, GROUP_SCHEMA } from './group-schema.ts';
import { ENTERPRISE_ATTRIBUTES, ENTERPRISE_SCHEMA, USER_ATTRIBUTES, USER_SCHEMA } from './user-schema.ts';

/** The largest page of a list. */
export const MAX_SCIM_RESULTS = 200;

/** The three schemas, as `/Schemas` publishes them. The server adds `meta.location`. */
export const SCHEMAS = [
  schemaDocument(USER_SCHEMA, 'User', 'A user account.', USER_ATTRIBUTES),
  schemaDocument(ENTERPRISE_SCHEMA, 'EnterpriseUser', 'Attributes of employees.', ENTERPRISE_ATTRIBUTES),
  schemaDocument(GROUP_SCHEMA, 'Group', 'A group of users.', GROUP_ATTRIBUTES),
];

/** The kinds of resources, as `/ResourceTypes` publishes them. The server adds `meta.location`. */
export const RESOURCE_TYPES = [
  {
    ...resourceTypeDocument('User', '/Users', 'A user account.', USER_SCHEMA),
    schemaExtensions: [{ schema: ENTERPRISE_SCHEMA, required: false }],
  },
  resourceTypeDocument('Group', '/Groups', 'A group of users.', GROUP_SCHEMA),
];

/** The features of the server, as `/ServiceProviderConfig` publishes them. The server adds `meta.location`. */
export const SERVICE_PROVIDER_CONFIG = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_SCIM_RESULTS },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  // RFC 9865.
  pagination: {
    cursor: false,
    index: true,
    defaultPaginationMethod: 'index',
    defaultPageSize: 100,
    maxPageSize: MAX_SCIM_RESULTS,
  },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'A SCIM token of the organization in the header Authorization.',
      specUri: 'https://www.rfc-editor.org/info/rfc6750',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig' },
};

function schemaDocument(id: string, name: string, description: string, attributes: readonly ScimAttribute[]) {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    id,
    name,
    description,
    attributes,
    meta: { resourceType: 'Schema' },
  };
}

function resourceTypeDocument(name: string, endpoint: string, description: string, schema: string) {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: name,
    name,
    endpoint,
    description,
    schema,
    meta: { resourceType: 'ResourceType' },
  };
}
