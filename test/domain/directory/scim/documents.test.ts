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

test('publishes the schemas of users, employees and groups', () => {
  expect(SCHEMAS.map(({ id }) => id)).toEqual([`${CORE}:User`, ENTERPRISE, `${CORE}:Group`]);
});

test('describes every attribute completely (RFC 7643, section 7)', () => {
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

test('has no attribute for a password', () => {
  const names = SCHEMAS.flatMap(({ attributes }) => withParts(attributes)).map(({ name }) => name);
  expect(names).toContain('userName');
  expect(names).not.toContain('password');
});

test('publishes users with the extension of employees, and groups', () => {
  expect(RESOURCE_TYPES).toMatchObject([
    { id: 'User', endpoint: '/Users', schema: `${CORE}:User`, schemaExtensions: [{ schema: ENTERPRISE }] },
    { id: 'Group', endpoint: '/Groups', schema: `${CORE}:Group` },
  ]);
});

test('declares bulk, sorting, cursors and changes of passwords unsupported', () => {
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
