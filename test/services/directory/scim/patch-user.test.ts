import { describe, expect, test } from '@jest/globals';
import type { ScimAttributes } from '../../../../domain/directory/person.ts';
import { ENTERPRISE_SCHEMA as ENTERPRISE } from '../../../../domain/directory/scim/user-schema.ts';
import { patchUser } from '../../../../services/directory/scim/patch-user.ts';
import { readPatch } from '../../../../services/directory/scim/read-patch.ts';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';
const WORK = { value: 'anna@work.example', type: 'work', primary: true };
const HOME = { value: 'anna@home.example', type: 'home' };
const ANNA: ScimAttributes = {
  userName: 'anna',
  active: true,
  title: 'Clerk',
  name: { givenName: 'Anna', familyName: 'Berg' },
  emails: [WORK, HOME],
  [ENTERPRISE]: { department: 'Sales', manager: { value: 'boss' } },
};

function patched(...operations: object[]): ScimAttributes {
  return patchUser(ANNA, readPatch({ Operations: operations }));
}

const refusal = (scimType: string) =>
  expect.objectContaining({ options: expect.objectContaining({ scimType }) });

describe('a PATCH by Entra ID', () => {
  test('may write operators with a capital letter', () => {
    expect(patched({ op: 'Replace', path: 'title', value: 'Chief' })).toMatchObject({ title: 'Chief' });
    expect(patched({ op: 'Add', path: 'nickName', value: 'A' })).toMatchObject({ nickName: 'A' });
    expect(patched({ op: 'Remove', path: 'title' })).not.toHaveProperty('title');
  });

  test.each(['False', 'false', false])('may deactivate with %p, at a path or without one', (value) => {
    expect(patched({ op: 'Replace', path: 'active', value })).toMatchObject({ active: false });
    expect(patched({ op: 'Replace', value: { active: value } })).toMatchObject({ active: false });
  });

  test('may activate with "True"', () => {
    const left = { ...ANNA, active: false };
    const operations = readPatch({ Operations: [{ op: 'Replace', path: 'active', value: 'True' }] });
    expect(patchUser(left, operations)).toMatchObject({ active: true });
  });

  test('may use dotted names and filter paths in a value without a path', () => {
    const value = {
      'name.givenName': 'Anne',
      'emails[type eq "work"].value': 'anne@work.example',
      [`${CORE}:title`]: 'Chief',
      [`${ENTERPRISE}:department`]: 'Board',
      [`${ENTERPRISE}:manager`]: 'owner',
    };
    expect(patched({ op: 'replace', value })).toEqual({
      userName: 'anna',
      active: true,
      title: 'Chief',
      name: { givenName: 'Anne', familyName: 'Berg' },
      emails: [{ ...WORK, value: 'anne@work.example' }, HOME],
      [ENTERPRISE]: { department: 'Board', manager: { value: 'owner' } },
    });
  });

  test('may name an attribute by the URN of its schema', () => {
    expect(patched({ op: 'replace', path: `${CORE}:active`, value: 'False' })).toMatchObject({
      active: false,
    });
    expect(patched({ op: 'replace', path: `${CORE}:name.familyName`, value: 'B' })).toMatchObject({
      name: { givenName: 'Anna', familyName: 'B' },
    });
    expect(
      patched({ op: 'replace', path: `${CORE}:emails[type eq "home"].value`, value: 'x' }),
    ).toMatchObject({
      emails: [WORK, { type: 'home', value: 'x' }],
    });
  });

  test.each(['owner', { value: 'owner' }, { Value: 'owner', displayName: 'ignored' }])(
    'may set the manager to %j',
    (value) => {
      const result = patched({ op: 'Add', path: `${ENTERPRISE}:manager`, value });
      expect(result[ENTERPRISE]).toEqual({ department: 'Sales', manager: { value: 'owner' } });
    },
  );

  test.each([
    { op: 'remove', path: `${ENTERPRISE}:manager` },
    { op: 'replace', path: `${ENTERPRISE}:manager`, value: '' },
    { op: 'replace', path: `${ENTERPRISE}:manager`, value: null },
    { op: 'remove', path: `${ENTERPRISE}:manager.value` },
  ])('may clear the manager by %j', (operation) => {
    expect(patched(operation)[ENTERPRISE]).toEqual({ department: 'Sales' });
  });

  test.each(['add', 'replace', 'Add'])('may %s the first mobile number by its type', (op) => {
    const operation = { op, path: 'phoneNumbers[type eq "mobile"].value', value: '+49 1' };
    expect(patched(operation)).toMatchObject({ phoneNumbers: [{ type: 'mobile', value: '+49 1' }] });
  });

  test('changes a number that exists already', () => {
    const path = 'phoneNumbers[type eq "mobile"].value';
    expect(patched({ op: 'add', path, value: '1' }, { op: 'add', path, value: '2' })).toMatchObject({
      phoneNumbers: [{ type: 'mobile', value: '2' }],
    });
  });

  test('leaves no empty number behind when it removes the value', () => {
    const path = 'phoneNumbers[type eq "mobile"].value';
    expect(patched({ op: 'add', path, value: '1' }, { op: 'remove', path })).not.toHaveProperty(
      'phoneNumbers',
    );
  });

  test('removes the listed values only', () => {
    expect(patched({ op: 'Remove', path: 'emails', value: [{ value: HOME.value }] })).toMatchObject({
      emails: [WORK],
    });
  });

  test.each([[[{}]], [[null]], [['']], [null], [''], [{}], [{ value: null }], [[{ value: 5 }]], [7]])(
    'fails with invalidValue for the removal list %j',
    (value) => {
      expect(() => patched({ op: 'remove', path: 'emails', value })).toThrow(refusal('invalidValue'));
    },
  );

  test('leaves the values unchanged when the list to remove is empty', () => {
    expect(patched({ op: 'remove', path: 'emails', value: [] })).toEqual(ANNA);
  });
});

test('patchUser reads attributes below one URN of the core schema, but not deeper', () => {
  let value: object = { nickName: 'too deep' };
  for (let depth = 0; depth < 100_000; depth += 1) value = { [CORE]: value };
  expect(patched({ op: 'replace', value })).toEqual(ANNA);
  expect(patched({ op: 'replace', value: { [CORE]: { title: 'Chief' } } })).toMatchObject({ title: 'Chief' });
});

describe('a PATCH by Okta', () => {
  test('may deactivate without a path', () => {
    expect(patched({ op: 'replace', value: { active: false } })).toEqual({ ...ANNA, active: false });
  });

  test('may include its id and other read-only attributes', () => {
    const value = { id: 'x', schemas: [CORE], groups: [{ value: 'g' }], meta: {}, title: 'Chief' };
    expect(patched({ op: 'replace', value })).toEqual({ ...ANNA, title: 'Chief' });
  });

  test('may send a password, which is not stored', () => {
    expect(patched({ op: 'replace', path: 'password', value: 'secret' })).toEqual(ANNA);
    expect(patched({ op: 'replace', value: { password: 'secret' } })).toEqual(ANNA);
  });
});

describe('RFC 7644, section 3.5.2', () => {
  test('an add appends the values that are missing', () => {
    const value = [{ type: 'home', value: HOME.value }, { value: 'new@x.example' }];
    expect(patched({ op: 'add', path: 'emails', value })).toMatchObject({
      emails: [WORK, HOME, { value: 'new@x.example' }],
    });
  });

  test('a new primary value takes this from the old one', () => {
    expect(patched({ op: 'add', path: 'emails', value: [{ value: 'n', primary: true }] })).toMatchObject({
      emails: [{ ...WORK, primary: false }, HOME, { value: 'n', primary: true }],
    });
    const path = 'emails[type eq "home"].primary';
    expect(patched({ op: 'replace', path, value: 'True' })).toMatchObject({
      emails: [
        { ...WORK, primary: false },
        { ...HOME, primary: true },
      ],
    });
  });

  test('a replacement of a list replaces all values', () => {
    expect(patched({ op: 'replace', path: 'emails', value: [{ value: 'n' }] })).toMatchObject({
      emails: [{ value: 'n' }],
    });
    expect(patched({ op: 'replace', path: 'emails', value: [] })).not.toHaveProperty('emails');
  });

  test('a replacement with a filter replaces the values that meet it', () => {
    const value = { value: 'n', display: 'N' };
    expect(patched({ op: 'replace', path: 'emails[type eq "work"]', value })).toMatchObject({
      emails: [{ type: 'work', value: 'n', display: 'N' }, HOME],
    });
  });

  test('a complex attribute keeps the parts that are not named', () => {
    expect(patched({ op: 'replace', path: 'name', value: { givenName: 'B' } })).toMatchObject({
      name: { givenName: 'B', familyName: 'Berg' },
    });
    expect(patched({ op: 'replace', value: { name: { givenName: null } } })).toMatchObject({
      name: { familyName: 'Berg' },
    });
    expect(patched({ op: 'add', path: ENTERPRISE, value: { division: 'D' } })[ENTERPRISE]).toEqual({
      department: 'Sales',
      manager: { value: 'boss' },
      division: 'D',
    });
  });

  test('a removal takes an attribute, a part of it, or the filtered values', () => {
    expect(patched({ op: 'remove', path: 'name.givenName' })).toMatchObject({ name: { familyName: 'Berg' } });
    expect(patched({ op: 'remove', path: 'emails' })).not.toHaveProperty('emails');
    expect(patched({ op: 'remove', path: 'emails[type eq "home"]' })).toMatchObject({ emails: [WORK] });
    expect(patched({ op: 'remove', path: 'emails[type eq "fax"]' })).toEqual(ANNA);
    expect(patched({ op: 'remove', path: ENTERPRISE })).not.toHaveProperty([ENTERPRISE]);
  });

  test.each([
    ['userName', { op: 'remove', path: 'userName' }],
    ['userName', { op: 'replace', path: 'userName', value: null }],
    ['id', { op: 'replace', path: 'id', value: 'x' }],
    ['groups', { op: 'add', path: 'groups', value: [{ value: 'x' }] }],
    ['meta', { op: 'remove', path: 'meta.created' }],
    ['manager', { op: 'add', path: `${ENTERPRISE}:manager.displayName`, value: 'x' }],
  ])('a change of %s is refused as mutability', (_, operation) => {
    expect(() => patched(operation)).toThrow(refusal('mutability'));
  });

  test.each([
    ['invalidPath', { op: 'replace', path: 'shoeSize', value: 1 }],
    ['invalidPath', { op: 'replace', path: `${CORE}:shoeSize`, value: 1 }],
    ['invalidPath', { op: 'replace', path: `${ENTERPRISE}:shoeSize`, value: 1 }],
    ['invalidPath', { op: 'replace', path: CORE, value: {} }],
    ['invalidPath', { op: 'replace', path: 'emails[type eq "work"', value: 'x' }],
    ['invalidPath', { op: 'replace', path: 'title[value eq "x"]', value: 'x' }],
    ['invalidPath', { op: 'replace', path: 'emails[type eq "work"].shoeSize', value: 'x' }],
    ['invalidPath', { op: 'replace', path: '__proto__.polluted', value: 'x' }],
    ['invalidPath', { op: 'replace', path: 5, value: 'x' }],
    ['invalidFilter', { op: 'replace', path: 'emails[type is "work"].value', value: 'x' }],
    ['invalidFilter', { op: 'replace', path: 'emails[shoeSize eq "1"].value', value: 'x' }],
    ['noTarget', { op: 'remove' }],
    ['noTarget', { op: 'replace', path: 'emails[type ne "work" and value sw "x"].value', value: 'x' }],
    ['noTarget', { op: 'replace', path: 'emails[value eq "unknown"].type', value: 'work' }],
    ['invalidValue', { op: 'replace', path: 'title' }],
    ['invalidValue', { op: 'replace', path: 'title', value: 5 }],
    ['invalidValue', { op: 'replace', path: 'active', value: 'perhaps' }],
    ['invalidValue', { op: 'replace', path: 'userName', value: ' ' }],
    ['invalidValue', { op: 'replace', path: 'name', value: 'Anna' }],
    ['invalidValue', { op: 'replace', value: 'Anna' }],
    ['invalidValue', { op: 'replace', path: 'title', value: 'a\0b' }],
    ['invalidSyntax', { op: 'move', path: 'title' }],
    ['invalidSyntax', {}],
  ])('a PATCH fails with %s: %j', (scimType, operation) => {
    expect(() => patched(operation)).toThrow(refusal(scimType));
  });

  test('a failed operation undoes those before it', () => {
    const operations = readPatch({
      Operations: [
        { op: 'replace', path: 'name.givenName', value: 'B' },
        { op: 'add', path: 'emails[type eq "work"].display', value: 'B' },
        { op: 'remove', path: 'userName' },
      ],
    });
    const before = structuredClone(ANNA);
    expect(() => patchUser(ANNA, operations)).toThrow(refusal('mutability'));
    expect(ANNA).toEqual(before);
  });

  test('a filter may hold brackets, quotes and colons in its value', () => {
    const value = 'a]b"c:d';
    const path = `emails[value eq ${JSON.stringify(value)}].type`;
    const operations = [
      { op: 'add', path: 'emails', value: [{ value, type: 'other' }] },
      { op: 'replace', path, value: 'home' },
    ];
    expect(patched(...operations)).toMatchObject({ emails: [WORK, HOME, { value, type: 'home' }] });
  });
});

test('a PATCH without operations changes nothing', () => {
  expect(patched()).toEqual(ANNA);
});

test('a user that operations made too large fails with tooMany', () => {
  const operations = Array.from({ length: 70 }, (_, index) => ({
    op: 'add',
    path: 'roles',
    value: [{ value: String(index).padStart(1_000, 'x') }],
  }));
  expect(() => patched(...operations)).toThrow(refusal('tooMany'));
});
