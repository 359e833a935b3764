import { expect, test } from '@jest/globals';
import { ENTERPRISE_SCHEMA as ENTERPRISE } from '../../../../domain/directory/scim/user-schema.ts';
import { createProjection } from '../../../../services/directory/scim/create-projection.ts';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ANNA = {
  schemas: [CORE],
  id: 'x',
  userName: 'anna',
  name: { givenName: 'Anna', familyName: 'Berg' },
  emails: [{ value: 'anna@x.example', type: 'work' }],
  groups: [{ value: 'g' }],
  [ENTERPRISE]: { department: 'Sales', manager: { value: 'boss' } },
};
const [schemas, id] = [ANNA.schemas, ANNA.id];

test('a projection without parameters returns the whole resource', () => {
  for (const query of [{}, { attributes: '' }, { excludedAttributes: ' ' }]) {
    const projection = createProjection(query, 'User');
    expect(projection.apply(ANNA)).toEqual(ANNA);
    expect(projection.includes('groups')).toBe(true);
  }
});

test.each([
  ['userName', { userName: 'anna' }],
  ['USERNAME, NAME.givenname', { userName: 'anna', name: { givenName: 'Anna' } }],
  ['emails.value', { emails: [{ value: 'anna@x.example' }] }],
  ['name.givenName,name', { name: ANNA.name }],
  ['name,name.givenName', { name: ANNA.name }],
  [`${CORE}:emails.type`, { emails: [{ type: 'work' }] }],
  [ENTERPRISE, { [ENTERPRISE]: ANNA[ENTERPRISE] }],
  [`${ENTERPRISE}:manager.value`, { [ENTERPRISE]: { manager: { value: 'boss' } } }],
  ['shoeSize', {}],
])('attributes=%s returns these, the id and the schemas', (attributes, expected) => {
  expect(createProjection({ attributes }, 'User').apply(ANNA)).toEqual({ schemas, id, ...expected });
});

test.each([
  ['GROUPS', ['groups']],
  ['id,schemas,userName', ['userName']],
  [ENTERPRISE, [ENTERPRISE]],
  [`${CORE}:userName,emails`, ['userName', 'emails']],
])(
  'excludedAttributes=%s leaves these out, but never the id and the schemas',
  (excludedAttributes, names) => {
    const projection = createProjection({ excludedAttributes }, 'User');
    const rest = Object.entries(ANNA).filter(([name]) => !names.includes(name));
    expect(projection.apply(ANNA)).toEqual(Object.fromEntries(rest));
  },
);

test('excludedAttributes leaves out a single part of an attribute', () => {
  const excludedAttributes = `name.familyName,emails.type,${ENTERPRISE}:manager`;
  expect(createProjection({ excludedAttributes }, 'User').apply(ANNA)).toEqual({
    ...ANNA,
    name: { givenName: 'Anna' },
    emails: [{ value: 'anna@x.example' }],
    [ENTERPRISE]: { department: 'Sales' },
  });
});

test('includes answers false for members that the projection leaves out whole', () => {
  expect(createProjection({ excludedAttributes: 'MEMBERS' }, 'Group').includes('members')).toBe(false);
  expect(createProjection({ excludedAttributes: 'members.$ref' }, 'Group').includes('members')).toBe(true);
  expect(createProjection({ excludedAttributes: 'displayName' }, 'Group').includes('members')).toBe(true);
  expect(createProjection({ attributes: 'displayName' }, 'Group').includes('members')).toBe(false);
  expect(createProjection({ attributes: 'members.value' }, 'Group').includes('members')).toBe(true);
});

test('a query with both attributes and excludedAttributes is refused', () => {
  const query = { attributes: 'userName', excludedAttributes: 'emails' };
  expect(() => createProjection(query, 'User')).toThrow('attributes and excludedAttributes');
});
