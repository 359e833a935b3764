import { describe, expect, test } from '@jest/globals';
import { readGroupPatch, type GroupChange } from '../../../../services/directory/scim/read-group-patch.ts';
import { readPatch } from '../../../../services/directory/scim/read-patch.ts';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const UUID = '0a6f0c2e-4b0e-4c1b-9d0f-0000000000a1';

function changesOf(...operations: object[]): GroupChange[] {
  return readGroupPatch(readPatch({ Operations: operations }));
}

const refusal = (scimType: string) =>
  expect.objectContaining({ options: expect.objectContaining({ scimType }) });

test('a PATCH with {"id", "displayName"} and no path renames the group (Okta)', () => {
  const value = { id: 'x', displayName: 'Staff' };
  expect(changesOf({ op: 'replace', value })).toEqual([{ kind: 'set', displayName: 'Staff' }]);
});

test('a PATCH that names no members leaves them untouched', () => {
  const changes = changesOf(
    { op: 'replace', value: { displayName: 'Staff', externalId: 'e' } },
    { op: 'Replace', path: `${CORE}:displayName`, value: 'Team' },
  );
  expect(changes.map(({ kind }) => kind)).toEqual(['set', 'set', 'set']);
  expect(changesOf({ op: 'replace', value: { id: 'x', shoeSize: 1 } })).toEqual([]);
  expect(changesOf()).toEqual([]);
});

test('a PATCH sets and clears the external id', () => {
  expect(changesOf({ op: 'add', path: 'externalId', value: 'e' })).toEqual([
    { kind: 'set', externalId: 'e' },
  ]);
  expect(changesOf({ op: 'remove', path: 'externalId' })).toEqual([{ kind: 'set', externalId: null }]);
  expect(changesOf({ op: 'replace', path: 'externalId', value: null })).toEqual([
    { kind: 'set', externalId: null },
  ]);
});

describe('an addition of members', () => {
  test.each([
    { op: 'Add', path: 'members', value: [{ value: 'a' }, { value: 'b' }] },
    { op: 'add', path: `${CORE}:members`, value: [{ value: 'a', display: 'A' }, { Value: 'b' }] },
    { op: 'add', value: { members: [{ value: 'a' }, { value: 'b' }] } },
    { op: 'add', value: { [`${CORE}:members`]: ['a', 'b'] } },
    { op: 'add', value: { [CORE]: { members: ['a', 'b'] } } },
    { op: 'add', path: 'members[value eq "a" or value eq "b"]' },
  ])('accepts the form %j', (operation) => {
    expect(changesOf(operation)).toEqual([{ kind: 'add_members', values: ['a', 'b'] }]);
  });

  test('contains a member once though two entries name it', () => {
    const value = [{ value: 'a' }, { value: 'a' }, { value: UUID }, { value: UUID.toUpperCase() }];
    expect(changesOf({ op: 'add', path: 'members', value })).toEqual([
      { kind: 'add_members', values: ['a', UUID] },
    ]);
  });

  test('leaves out groups among the members', () => {
    const value = [{ value: 'a' }, { value: 'g', type: 'Group' }];
    expect(changesOf({ op: 'add', path: 'members', value })).toEqual([
      { kind: 'add_members', values: ['a'] },
    ]);
  });

  test('merges adjacent operations of the same kind into one change', () => {
    const add = (value: string) => ({ op: 'add', path: 'members', value: [{ value }] });
    const remove = (value: string) => ({ op: 'remove', path: `members[value eq "${value}"]` });
    expect(changesOf(add('a'), add('b'), add('a'), remove('c'), remove('d'), add('c'))).toEqual([
      { kind: 'add_members', values: ['a', 'b'] },
      { kind: 'remove_members', values: ['c', 'd'] },
      { kind: 'add_members', values: ['c'] },
    ]);
  });
});

describe('a removal of members', () => {
  test.each([
    { op: 'remove', path: 'members[value eq "a" or value eq "b"]' },
    { op: 'Remove', path: 'members[ VALUE EQ "a" OR (value eq "b") ]' },
    { op: 'remove', path: 'members[value eq "a" or value eq "b"].value' },
    { op: 'Remove', path: 'members', value: [{ value: 'a' }, { value: 'b' }] },
    { op: 'remove', path: 'members', value: [{ $ref: null, value: 'a' }, { value: 'b' }] },
  ])('accepts the form %j', (operation) => {
    expect(changesOf(operation)).toEqual([{ kind: 'remove_members', values: ['a', 'b'] }]);
  });

  test('accepts one object in place of a list', () => {
    expect(changesOf({ op: 'remove', path: 'members', value: { value: 'a' } })).toEqual([
      { kind: 'remove_members', values: ['a'] },
    ]);
  });

  test('removes all members only when it has no value', () => {
    expect(changesOf({ op: 'remove', path: 'members' })).toEqual([{ kind: 'remove_all_members' }]);
  });

  test('removes none by an empty list', () => {
    expect(changesOf({ op: 'remove', path: 'members', value: [] })).toEqual([
      { kind: 'remove_members', values: [] },
    ]);
  });

  const CRAFTED = [
    null,
    '',
    ' ',
    0,
    5,
    true,
    {},
    { value: null },
    { value: '' },
    { value: 5 },
    { value: {} },
  ];
  test.each([...CRAFTED, ...CRAFTED.map((one) => [one]), [{ value: 'a' }, {}], [[]], [{ display: 'a' }]])(
    'fails with invalidValue for the crafted value %j',
    (value) => {
      for (const op of ['remove', 'replace', 'add']) {
        expect(() => changesOf({ op, path: 'members', value })).toThrow(refusal('invalidValue'));
        if (op !== 'remove') {
          expect(() => changesOf({ op, value: { members: value } })).toThrow(refusal('invalidValue'));
        }
      }
    },
  );

  test.each([
    ['invalidFilter', 'members[value ne "a"]'],
    ['invalidFilter', 'members[value sw ""]'],
    ['invalidFilter', 'members[value eq "a" and value eq "b"]'],
    ['invalidFilter', 'members[not (value eq "a")]'],
    ['invalidFilter', 'members[value pr]'],
    ['invalidFilter', 'members[type eq "User"]'],
    ['invalidFilter', 'members[]'],
    ['invalidValue', 'members[value eq ""]'],
    ['invalidValue', 'members[value eq null]'],
    ['invalidValue', 'members[value eq 5]'],
    ['invalidPath', 'members.value'],
    ['invalidPath', 'members[value eq "a"'],
    ['mutability', 'members[value eq "a"].type'],
  ])('fails with %s at the path %s', (scimType, path) => {
    expect(() => changesOf({ op: 'remove', path })).toThrow(refusal(scimType));
  });
});

describe('a replacement of members', () => {
  test.each([
    { op: 'replace', path: 'members', value: [{ value: 'a' }] },
    { op: 'Replace', value: { displayname: 'Staff', MEMBERS: [{ value: 'a' }] } },
  ])('accepts the form %j', (operation) => {
    expect(changesOf(operation)).toContainEqual({ kind: 'replace_members', values: ['a'] });
  });

  test('empties the group by an empty list', () => {
    expect(changesOf({ op: 'replace', path: 'members', value: [] })).toEqual([
      { kind: 'replace_members', values: [] },
    ]);
  });

  test('replaces only the members that a filter chooses', () => {
    const operation = { op: 'replace', path: 'members[value eq "a"]', value: { value: 'b' } };
    expect(changesOf(operation)).toEqual([
      { kind: 'remove_members', values: ['a'] },
      { kind: 'add_members', values: ['b'] },
    ]);
  });
});

test.each([
  ['mutability', { op: 'remove', path: 'displayName' }],
  ['mutability', { op: 'replace', path: 'id', value: 'x' }],
  ['invalidValue', { op: 'replace', path: 'displayName', value: '' }],
  ['invalidValue', { op: 'replace', path: 'displayName', value: null }],
  ['invalidValue', { op: 'replace', path: 'displayName', value: 'x'.repeat(1_025) }],
  ['invalidValue', { op: 'add', path: 'members' }],
  ['invalidValue', { op: 'replace', path: 'members[value eq "a"]' }],
  ['invalidPath', { op: 'replace', path: 'shoeSize', value: 'x' }],
  ['noTarget', { op: 'remove', value: { members: [{ value: 'a' }] } }],
])('a PATCH of a group fails with %s: %j', (scimType, operation) => {
  expect(() => changesOf(operation)).toThrow(refusal(scimType));
});

test('a path of an unknown schema is ignored', () => {
  const rename = { op: 'replace', path: 'displayName', value: 'Staff' };
  const unknown = { op: 'add', path: 'urn:example:CustomExt:2.0:Group:tag', value: 'x' };
  expect(changesOf(unknown, rename)).toEqual([{ kind: 'set', displayName: 'Staff' }]);
});

test('more than 10,000 names in values without a path fail with tooMany', () => {
  const names = Array.from({ length: 10_001 }, (_, n) => [`members[value eq "${n}"]`, 'x']);
  for (const value of [Object.fromEntries(names), { [CORE]: Object.fromEntries(names) }]) {
    expect(() => changesOf({ op: 'add', value })).toThrow(refusal('tooMany'));
  }
  expect(changesOf({ op: 'add', value: Object.fromEntries(names.slice(1)) })).toHaveLength(1);
});

test('more than 100,000 members fail with tooMany', () => {
  const value = Array.from({ length: 100_001 }, (_, index) => ({ value: String(index) }));
  expect(() => changesOf({ op: 'add', path: 'members', value })).toThrow(refusal('tooMany'));
  const halves = [value.slice(0, 60_000), value.slice(60_000)].map((half) => ({
    op: 'add',
    path: 'members',
    value: half,
  }));
  expect(() => changesOf(...halves)).toThrow(refusal('tooMany'));
});
