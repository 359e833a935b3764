import { describe, expect, test } from '@jest/globals';
import { ENTERPRISE_SCHEMA as ENTERPRISE } from '../../../../domain/directory/scim/user-schema.ts';
import { factsOf, readUser } from '../../../../services/directory/scim/read-user.ts';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';

const refusal = (scimType: string, message: unknown = expect.any(String)) =>
  expect.objectContaining({ message, options: expect.objectContaining({ scimType }) });

test('readUser accepts names in any case and writes them as the schema does', () => {
  const raw = { USERNAME: 'a', Name: { GIVENNAME: 'A' }, eMails: [{ VALUE: 'a@x.example', Type: 'work' }] };
  expect(readUser(raw)).toEqual({
    userName: 'a',
    name: { givenName: 'A' },
    emails: [{ value: 'a@x.example', type: 'work' }],
  });
});

test('readUser accepts dotted names and names with the URN of their schema', () => {
  const raw = {
    [`${CORE}:userName`]: 'a',
    [CORE]: { title: 'Clerk' },
    'name.givenName': 'A',
    [`${CORE.toUpperCase()}:name.familyName`]: 'B',
    [`${ENTERPRISE}:department`]: 'Sales',
    [ENTERPRISE.toLowerCase()]: { CostCenter: '7', manager: 'boss' },
  };
  expect(readUser(raw)).toEqual({
    userName: 'a',
    title: 'Clerk',
    name: { givenName: 'A', familyName: 'B' },
    [ENTERPRISE]: { department: 'Sales', costCenter: '7', manager: { value: 'boss' } },
  });
});

test('readUser drops unknown, read-only and empty attributes, and passwords', () => {
  const raw = JSON.parse(`{
    "userName": "a", "id": "x", "schemas": ["${CORE}"], "meta": {"version": "x"}, "groups": [{"value": "g"}],
    "password": "secret", "shoeSize": 44, "__proto__": {"polluted": true}, "constructor": 1, "title": null,
    "emails": [], "name": {"givenName": null}, "phoneNumbers": [{"value": null}],
    "${ENTERPRISE}": {"manager": {"displayName": "Boss"}}
  }`) as unknown;
  expect(readUser(raw)).toEqual({ userName: 'a' });
});

test('readUser reads the URN of the core schema at the top level only', () => {
  let nested: object = { title: 'too deep' };
  for (let depth = 0; depth < 100_000; depth += 1) nested = { [CORE]: nested };
  expect(readUser({ userName: 'a', ...nested })).toEqual({ userName: 'a' });
});

test.each(['True', 'true', 'TRUE', true])('readUser reads an active value of %p as true', (active) => {
  expect(readUser({ userName: 'a', active })).toEqual({ userName: 'a', active: true });
});

describe('a malformed user', () => {
  test.each([
    ['userName is required', {}],
    ['userName is required', { userName: '  ' }],
    ['userName must be a string', { userName: 5 }],
    ['title must be a string', { title: ['x'] }],
    ['active must be true or false', { active: 'yes' }],
    ['active must be true or false', { active: 1 }],
    ['name must be an object', { name: 'Anna' }],
    ['emails must be an array', { emails: 'a@x.example' }],
    ['emails must be an object', { emails: [5] }],
    ['emails.value must be a string', { emails: [{ value: 5 }] }],
    ['emails.primary must be true or false', { emails: [{ value: 'a', primary: 'x' }] }],
    [
      'At most one of emails may be primary',
      { emails: ['a', 'b'].map((value) => ({ value, primary: true })) },
    ],
    [`${ENTERPRISE}.manager must be an object`, { [`${ENTERPRISE}:manager`]: 5 }],
    ['title must not contain NUL', { title: 'a\0b' }],
    ['name.givenName must not contain NUL', { name: { givenName: '\ud800' } }],
    ['userName must not have more than 1024 characters', { userName: 'x'.repeat(1_025) }],
    ['externalId must not have more than 1024 characters', { externalId: 'x'.repeat(1_025) }],
    ['displayName must not have more than 1024 characters', { displayName: 'x'.repeat(1_025) }],
    ['userName must not have more than 2400 bytes', { userName: '\u3042'.repeat(1_024) }],
    ['emails.value must not have more than 1024 characters', { emails: [{ value: 'x'.repeat(1_025) }] }],
  ])('fails with invalidValue: %s', (message, raw) => {
    const body = { userName: 'a', ...raw };
    if (Object.keys(raw).length === 0) Reflect.deleteProperty(body, 'userName');
    expect(() => readUser(body)).toThrow(refusal('invalidValue', expect.stringContaining(message)));
  });

  test.each([null, 'x', [], 5])('fails with invalidSyntax for the body %j', (body) => {
    expect(() => readUser(body)).toThrow(refusal('invalidSyntax'));
  });

  test('fails with tooMany above 64 KiB or 500 values of an attribute', () => {
    expect(() => readUser({ userName: 'a', title: 'x'.repeat(65_536) })).toThrow(refusal('tooMany'));
    const roles = Array.from({ length: 501 }, (_, index) => ({ value: String(index) }));
    expect(() => readUser({ userName: 'a', roles })).toThrow(refusal('tooMany'));
  });
});

test('a lenient reading leaves out values that break a rule', () => {
  const raw = {
    userName: 'a',
    title: 5,
    name: { givenName: 'A', familyName: ['B'] },
    displayName: 'a\0b',
    emails: [{ value: 5, type: 'work' }, { value: 'a', primary: true }, { value: 'b', primary: true }, 'c'],
  };
  expect(readUser(raw, { lenient: true })).toEqual({
    userName: 'a',
    name: { givenName: 'A' },
    emails: [{ type: 'work' }, { value: 'a', primary: true }, { value: 'b', primary: false }, { value: 'c' }],
  });
  expect(() => readUser({ userName: 5 }, { lenient: true })).toThrow(refusal('invalidValue'));
});

describe('the address of a person', () => {
  const primary = { value: 'primary@x.example', primary: true };
  const work = { value: 'work@x.example', type: 'Work' };
  const other = { value: 'other@x.example', type: 'other' };

  test.each([
    ['the primary e-mail', [other, work, primary], 'primary@x.example'],
    ['else the one for work', [other, work], 'work@x.example'],
    ['else the first', [{ type: 'work' }, { value: '', type: 'work' }, other], 'other@x.example'],
    ['else the user name', [], 'anna'],
  ])('follows the order of preference: %s', (_, emails, address) => {
    expect(factsOf(readUser({ userName: 'anna', emails })).email).toBe(address);
  });
});

test('factsOf returns the facts on which membership depends', () => {
  const raw = { userName: 'a', externalId: 'e', name: { givenName: 'A', familyName: 'B' }, active: 'False' };
  expect(factsOf(readUser(raw))).toEqual({
    userName: 'a',
    externalId: 'e',
    email: 'a',
    givenName: 'A',
    familyName: 'B',
    active: false,
  });
  expect(factsOf(readUser({ userName: 'a', externalId: '' }))).toEqual({
    userName: 'a',
    externalId: null,
    email: 'a',
    givenName: null,
    familyName: null,
    active: true,
  });
});
