import { expect, test } from '@jest/globals';
import type { ScimAttribute } from '../../../../domain/directory/scim/attribute.ts';
import {
  RESOURCE_TYPES,
  SCHEMAS,
  SERVICE_PROVIDER_CONFIG,
} from '../../../../domain/directory/scim/documents.ts';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

function withParts(attributes: readonly ScimAttribute[]): ScimAttribute[] {
  return attributes.flatMap((attribute) => [attribute, ...withParts(attribute.subAttributes ?? [])]);
}

test('the published SCIM schemas are those of users, employees and groups', () => {
  expect(SCHEMAS.map(({ id }) => id)).toEqual([`${CORE}:User`, ENTERPRISE, `${CORE}:Group`]);
});

test('each SCIM attribute states all the characteristics of RFC 7643, section 7', () => {
  const described = [
    'name',
    'type',
    'multiValued',
    'description',
    'required',
    'caseExact',
    'mutability',
    'returned',
    'uniqueness',
  ];
  for (const attribute of SCHEMAS.flatMap(({ attributes }) => withParts(attributes))) {
    expect(Object.keys(attribute)).toEqual(expect.arrayContaining(described));
    expect(attribute.type === 'complex').toBe(attribute.subAttributes !== undefined);
    expect(attribute.type === 'reference').toBe(attribute.referenceTypes !== undefined);
  }
});

test('the SCIM schemas contain userName and no password', () => {
  const names = SCHEMAS.flatMap(({ attributes }) => withParts(attributes)).map(({ name }) => name);
  expect(names).toContain('userName');
  expect(names).not.toContain('password');
});

test('the SCIM resource types are users with the employee extension, and groups', () => {
  expect(RESOURCE_TYPES).toMatchObject([
    { id: 'User', endpoint: '/Users', schema: `${CORE}:User`, schemaExtensions: [{ schema: ENTERPRISE }] },
    { id: 'Group', endpoint: '/Groups', schema: `${CORE}:Group` },
  ]);
});

test('the service provider configuration declares bulk, sorting, cursors and password changes unsupported', () => {
  expect(SERVICE_PROVIDER_CONFIG).toMatchObject({
    patch: { supported: true },
    bulk: { supported: false },
    filter: { supported: true, maxResults: 200 },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: true },
    pagination: { cursor: false, index: true },
    authenticationSchemes: [{ type: 'oauthbearertoken' }],
  });
});
