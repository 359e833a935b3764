import { expect, test } from '@jest/globals';
import { readPatch } from '../../../../services/directory/scim/read-patch.ts';

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';

const refusal = (scimType: string) =>
  expect.objectContaining({ options: expect.objectContaining({ scimType }) });

test('readPatch reads names, operators and the schema in any case', () => {
  const body = { SCHEMAS: [PATCH.toLowerCase()], operations: [{ OP: 'REMOVE', Path: 'title' }] };
  expect(readPatch(body)).toEqual([{ op: 'remove', path: 'title', value: undefined }]);
});

test('readPatch distinguishes a null value from a missing one', () => {
  const Operations = [{ op: 'remove', path: 'members', value: null }];
  expect(readPatch({ schemas: [PATCH], Operations })).toEqual([
    { op: 'remove', path: 'members', value: null },
  ]);
});

test.each([
  ['no object', 'x'],
  ['no operations', {}],
  ['operations that are no list', { Operations: {} }],
  ['an operation that is no object', { Operations: ['remove'] }],
  ['the schema of another message', { schemas: [CORE], Operations: [] }],
])('a body with %s fails with invalidSyntax', (_, body) => {
  expect(() => readPatch(body)).toThrow(refusal('invalidSyntax'));
});

test('more than 10,000 operations fail with tooMany', () => {
  const Operations = Array.from({ length: 10_001 }, () => ({ op: 'remove', path: 'title' }));
  expect(() => readPatch({ Operations })).toThrow(refusal('tooMany'));
});
