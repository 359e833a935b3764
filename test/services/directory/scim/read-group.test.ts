import { expect, test } from '@jest/globals';
import { readGroup } from '../../../../services/directory/scim/read-group.ts';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const UUID = '0a6f0c2e-4b0e-4c1b-9d0f-0000000000a1';

const refusal = (scimType: string) =>
  expect.objectContaining({ options: expect.objectContaining({ scimType }) });

test('readGroup reads name, external id and members, each member once', () => {
  const members = [
    { value: 'a' },
    { VALUE: 'a' },
    { value: UUID.toUpperCase() },
    { value: 'g', type: 'Group' },
  ];
  expect(readGroup({ id: 'x', DISPLAYNAME: 'Staff', externalId: 'e', [`${CORE}:members`]: members })).toEqual(
    {
      displayName: 'Staff',
      externalId: 'e',
      resource: {},
      members: ['a', UUID],
    },
  );
});

test('readGroup reads attributes below the URN of the core schema', () => {
  const group = { displayName: 'Staff', externalId: 'e', members: [{ value: 'a' }] };
  expect(readGroup({ [CORE]: group })).toEqual({ ...group, resource: {}, members: ['a'] });
});

test.each([{}, { members: null }])('a group with %j has undefined members', (raw) => {
  expect(readGroup({ displayName: 'Staff', ...raw }).members).toBeUndefined();
});

test('an empty list of members stays an empty list', () => {
  expect(readGroup({ displayName: 'Staff', members: [] }).members).toEqual([]);
});

test.each([
  ['invalidSyntax', null],
  ['invalidValue', {}],
  ['invalidValue', { displayName: '' }],
  ['invalidValue', { displayName: 5 }],
  ['invalidValue', { displayName: 'x'.repeat(1_025) }],
  ['invalidValue', { displayName: 'Staff', members: 5 }],
  ['invalidValue', { displayName: 'Staff', members: [{}] }],
  ['invalidValue', { displayName: 'Staff', members: [{ value: null }] }],
  ['invalidValue', { displayName: 'Staff', members: [{ value: 'a\0' }] }],
  ['invalidValue', { displayName: 'Staff', members: [{ value: 'x'.repeat(1_025) }] }],
  ['tooMany', { displayName: 'Staff', members: Array.from({ length: 100_001 }, () => ({ value: 'a' })) }],
])('a malformed group fails with %s', (scimType, raw) => {
  expect(() => readGroup(raw)).toThrow(refusal(scimType));
});

test('a lenient reading leaves out malformed members', () => {
  const members = [{ value: 'a' }, {}, null, { value: 5 }, { value: '' }];
  expect(readGroup({ displayName: 'Staff', externalId: 5, members }, { lenient: true })).toEqual({
    displayName: 'Staff',
    externalId: null,
    resource: {},
    members: ['a'],
  });
});
