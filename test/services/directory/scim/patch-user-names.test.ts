import { expect, test } from '@jest/globals';
import type { ScimAttributes } from '../../../../domain/directory/person.ts';
import { ENTERPRISE_SCHEMA as ENTERPRISE } from '../../../../domain/directory/scim/user-schema.ts';
import { patchUser } from '../../../../services/directory/scim/patch-user.ts';
import { readPatch } from '../../../../services/directory/scim/read-patch.ts';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ANNA: ScimAttributes = {
  userName: 'anna',
  active: true,
  title: 'Clerk',
  [ENTERPRISE]: { department: 'Sales', manager: { value: 'boss' } },
};

function patched(...operations: object[]): ScimAttributes {
  return patchUser(ANNA, readPatch({ Operations: operations }));
}

const refusal = (scimType: string) =>
  expect.objectContaining({ options: expect.objectContaining({ scimType }) });

const REFERRED = { value: 'boss', $ref: '../Users/boss' };
const withReference = { ...ANNA, [ENTERPRISE]: { manager: REFERRED } };
test.each<[object, object]>([
  [{ op: 'replace', path: `${ENTERPRISE}:manager`, value: 'owner' }, { value: 'owner' }],
  [{ op: 'replace', path: `${ENTERPRISE}:manager.value`, value: 'owner' }, { value: 'owner' }],
  [{ op: 'add', value: { [ENTERPRISE]: { manager: { value: 'owner' } } } }, { value: 'owner' }],
  [
    { op: 'replace', path: `${ENTERPRISE}:manager`, value: { value: 'owner', $ref: '../Users/owner' } },
    { value: 'owner', $ref: '../Users/owner' },
  ],
  [{ op: 'replace', path: `${ENTERPRISE}:manager`, value: 'boss' }, REFERRED],
])('a change of the manager by %j leaves no reference to the former one', (operation, manager) => {
  const result = patchUser(withReference, readPatch({ Operations: [operation] }));
  expect(result[ENTERPRISE]).toEqual({ manager });
});

test('a removal of manager.value removes manager.$ref too', () => {
  const operation = { op: 'remove', path: `${ENTERPRISE}:manager.value` };
  expect(patchUser(withReference, readPatch({ Operations: [operation] }))).not.toHaveProperty([ENTERPRISE]);
});

test.each([
  { op: 'Add', path: 'urn:ietf:params:scim:schemas:extension:CustomExt:2.0:User:tag', value: 'x' },
  { op: 'replace', path: 'URN:example:2.0:User:tags[type eq "a"].value', value: 'x' },
  { op: 'remove', path: `${CORE}X:title` },
  { op: 'replace', path: 'urn:ietf:params:scim:schemas:core:2.0:Group:displayName', value: 'x' },
])('the operation %j of an unknown schema is ignored beside a deactivation', (operation) => {
  const deactivate = { op: 'replace', path: 'active', value: 'False' };
  expect(patched(operation, deactivate)).toEqual({ ...ANNA, active: false });
});

test('a PATCH of a user with more than 500 operations fails with tooMany', () => {
  const operations = Array.from({ length: 501 }, () => ({ op: 'replace', path: 'title', value: 'x' }));
  expect(() => patched(...operations)).toThrow(refusal('tooMany'));
  expect(patched(...operations.slice(1))).toMatchObject({ title: 'x' });
});

test('names in values without a path count as operations', () => {
  const names = Array.from({ length: 501 }, (_, n) => [`emails[value co "a${n}"].display`, 'x']);
  const value = Object.fromEntries(names);
  for (const one of [value, { [CORE]: value }]) {
    expect(() => patched({ op: 'replace', value: one })).toThrow(refusal('tooMany'));
  }
  const title = Object.fromEntries(Array.from({ length: 251 }, (_, n) => [`unknown${n}`, n]));
  expect(() => patched({ op: 'replace', value: title }, { op: 'add', value: title })).toThrow(
    refusal('tooMany'),
  );
  expect(patched({ op: 'replace', value: title })).toEqual(ANNA);
});
