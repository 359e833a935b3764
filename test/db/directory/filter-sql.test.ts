import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDatabase, type Database } from '../../support/open-database.ts';
import { filterSql } from '../../../db/directory/filter-sql.ts';
import { rowsOf } from '../../../db/postgres/statement.ts';
import { uuid } from '../../../db/postgres/shape.ts';
import { sql, trustedText } from '../../../db/postgres/sql-text.ts';
import type { ScimAttributes } from '../../../domain/directory/person.ts';
import type { ScimResourceType } from '../../../domain/directory/scim/attribute.ts';
import { ENTERPRISE_SCHEMA } from '../../../domain/directory/scim/user-schema.ts';
import { newUuid } from '../../../domain/ids.ts';
import { factsOf, readUser } from '../../../services/directory/scim/read-user.ts';
import { parseFilter } from '../../../services/directory/scim/parse-filter.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const ANNA = '0a6f0c2e-4b0e-4c1b-9d0f-0000000000a1';
const BERT = '0a6f0c2e-4b0e-4c1b-9d0f-0000000000b2';
const CARL = '0a6f0c2e-4b0e-4c1b-9d0f-0000000000c3';
const STAFF = '0a6f0c2e-4b0e-4c1b-9d0f-0000000000d4';
const HIDDEN = '0a6f0c2e-4b0e-4c1b-9d0f-0000000000e5';
const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';

let testDatabase: TestDatabase;
let database: Database;
const organizationId = newUuid();

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 2 });
  await database.knex('organizations').insert({ id: organizationId, name: 'Test' });
  await addPerson(ANNA, '2026-01-01T10:00:00.123456Z', {
    userName: 'Anna@Example.com',
    externalId: 'Ext-Anna',
    displayName: 'Anna "A" \\ 100%',
    title: 'snake_case',
    name: { givenName: 'Anna', familyName: 'Berg' },
    emails: [
      { value: 'anna@work.example', type: 'work', primary: true },
      { value: 'anna@home.example', type: 'home' },
    ],
    [ENTERPRISE_SCHEMA]: { department: 'Sales', manager: { value: BERT } },
  });
  await addPerson(BERT, '2026-02-01T10:00:00Z', {
    userName: 'bert:smith',
    active: false,
    title: 'snakeXcase',
    emails: [{ value: 'bert@work.example', type: 'home' }],
  });
  await addPerson(CARL, '2026-03-01T10:00:00Z', { userName: 'carl', displayName: 'Émile' });
  await addGroup(STAFF, 'Staff', [ANNA, 'unknown-member']);
  await addGroup(HIDDEN, 'Hidden', [CARL]);
  await database.knex('directory_groups').where({ id: HIDDEN }).update({ deleted_at: new Date() });
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

async function addPerson(id: string, at: string, raw: object): Promise<void> {
  const resource: ScimAttributes = readUser(raw);
  const facts = factsOf(resource);
  await database.knex('directory_people').insert({
    id,
    organization_id: organizationId,
    external_id: facts.externalId,
    user_name: facts.userName,
    email: facts.email,
    active: facts.active,
    resource: JSON.stringify(resource),
    created_at: at,
    updated_at: at,
  });
}

async function addGroup(id: string, name: string, members: readonly string[]): Promise<void> {
  const row = { id, organization_id: organizationId, display_name: name, external_id: `Ext-${name}` };
  await database.knex('directory_groups').insert(row);
  const known = [ANNA, BERT, CARL];
  const rows = members.map((value) => ({
    group_id: id,
    value,
    person_id: known.includes(value) ? value : null,
  }));
  await database.knex('directory_group_members').insert(rows);
}

const TABLES = { User: 'directory_people', Group: 'directory_groups' };
const NAMES: Record<string, string> = {
  [ANNA]: 'anna',
  [BERT]: 'bert',
  [CARL]: 'carl',
  [STAFF]: 'staff',
  [HIDDEN]: 'hidden',
};

async function found(filter: string, type: ScimResourceType = 'User'): Promise<string> {
  const rows = await rowsOf(
    database.knex,
    { id: uuid },
    sql`select r.id from ${trustedText(TABLES[type])} r where (${filterSql(parseFilter(filter), type, 'r')}) order by r.id`,
  );
  return rows.map(({ id }) => NAMES[id]).join(' ');
}

const refusal = (scimType: string) =>
  expect.objectContaining({ options: expect.objectContaining({ scimType }) });

describe('a SCIM filter on users', () => {
  test.each([
    // Case as the schema says.
    ['userName eq "ANNA@example.COM"', 'anna'],
    ['USERNAME Eq "anna@example.com"', 'anna'],
    [`${CORE}:userName eq "anna@example.com"`, 'anna'],
    ['externalId eq "Ext-Anna"', 'anna'],
    ['externalId eq "ext-anna"', ''],
    [`id eq "${ANNA.toUpperCase()}"`, 'anna'],
    ['id eq "not-a-uuid"', ''],
    ['id sw "0a6f"', 'anna bert carl'],
    // Operators.
    ['userName ne "carl"', 'anna bert'],
    ['userName co "EXAMPLE"', 'anna'],
    ['userName sw "ann"', 'anna'],
    ['userName ew ".COM"', 'anna'],
    ['userName gt "bert:smith"', 'carl'],
    ['userName ge "bert:smith"', 'bert carl'],
    ['userName lt "bert:smith"', 'anna'],
    ['userName le "bert:smith"', 'anna bert'],
    ['externalId pr', 'anna'],
    ['externalId eq null', 'bert carl'],
    ['externalId ne null', 'anna'],
    // Values that look like syntax.
    ['userName eq "bert:smith"', 'bert'],
    ['displayName eq "anna \\"a\\" \\\\ 100%"', 'anna'],
    ['displayName eq "\\u00c9mile"', 'carl'],
    ['displayName co "%"', 'anna'],
    ['displayName co "\\\\"', 'anna'],
    ['title co "e_c"', 'anna'],
    ['title eq "x\' or true --"', ''],
    ['title eq "?"', ''],
    // Booleans.
    ['active eq true', 'anna carl'],
    ['active eq False', 'bert'],
    ['active eq "False"', 'bert'],
    ['active ne true', 'bert'],
    // Parts of names, the extension and the manager.
    ['name.givenName eq "anna"', 'anna'],
    ['name pr', 'anna'],
    [`${ENTERPRISE_SCHEMA}:department eq "sales"`, 'anna'],
    [`${ENTERPRISE_SCHEMA}:manager.value eq "${BERT}"`, 'anna'],
    [`${ENTERPRISE_SCHEMA}:manager eq "${BERT}"`, 'anna'],
    [`${ENTERPRISE_SCHEMA} pr`, 'anna'],
    // Lists.
    ['emails.value eq "ANNA@home.example"', 'anna'],
    ['emails co "home"', 'anna'],
    ['emails pr', 'anna bert'],
    ['phoneNumbers pr', ''],
    ['emails.primary eq true', 'anna'],
    ['emails[type eq "work"]', 'anna'],
    ['emails[type eq "work" and value co "home"]', ''],
    ['emails[type eq "home" and value co "work"]', 'bert'],
    ['emails[type eq "work"].value eq "anna@work.example"', 'anna'],
    ['emails[type eq "work"].value eq "anna@home.example"', ''],
    ['emails[not (type eq "home")]', 'anna'],
    ['emails[primary eq "True"]', 'anna'],
    // Logic.
    ['userName eq "carl" or userName sw "anna" and active eq false', 'carl'],
    ['(userName eq "carl" or userName sw "anna") and active eq false', ''],
    ['not (externalId eq "Ext-Anna")', 'bert carl'],
    ['NOT (active eq true) OR userName EQ "carl"', 'bert carl'],
    // Times as they are shown, in milliseconds.
    ['meta.created eq "2026-01-01T10:00:00.123Z"', 'anna'],
    ['meta.lastModified gt "2026-01-01T10:00:00.123Z"', 'bert carl'],
    ['meta.lastModified ge "2026-02-01T11:00:00+01:00"', 'bert carl'],
    ['meta.lastModified lt "2026-02-01T10:00:00"', 'anna'],
    ['meta.created le "2026-02-01T10:00:00Z"', 'anna bert'],
    ['meta.created gt "0000-01-01T00:00:00Z"', 'anna bert carl'],
    ['meta.resourceType eq "User"', 'anna bert carl'],
    // Groups that are hidden count for nothing.
    [`groups.value eq "${STAFF}"`, 'anna'],
    [`groups[value eq "${STAFF.toUpperCase()}"]`, 'anna'],
    [`groups eq "${HIDDEN}"`, ''],
    ['groups.display eq "staff"', 'anna'],
    ['groups pr', 'anna'],
  ])('selects the matching users: %s', async (filter, names) => {
    expect(await found(filter)).toBe(names);
  });
});

describe('a SCIM filter on groups', () => {
  test.each([
    ['displayName eq "STAFF"', 'staff'],
    ['externalId eq "Ext-Staff"', 'staff'],
    ['externalId eq "ext-staff"', ''],
    [`members.value eq "${ANNA.toUpperCase()}"`, 'staff'],
    ['members[value eq "unknown-member"]', 'staff'],
    [`members eq "${CARL}"`, 'hidden'],
    [`members.value eq "${BERT}"`, ''],
    ['members pr', 'staff hidden'],
    ['urn:ietf:params:scim:schemas:core:2.0:Group:displayName sw "hid"', 'hidden'],
    [`id eq "${STAFF}"`, 'staff'],
  ])('selects the matching groups: %s', async (filter, names) => {
    expect(await found(filter, 'Group')).toBe(names);
  });
});

describe('an invalid SCIM filter', () => {
  test.each([
    'shoeSize eq "44"',
    '__proto__ pr',
    'constructor eq "x"',
    'password eq "x"',
    'emails.shoeSize eq "x"',
    'emails[shoeSize eq "x"]',
    'emails[value[type pr]]',
    'userName[value eq "x"]',
    'name eq "x"',
    'addresses eq "x"',
    'schemas eq "x"',
    'meta.version eq "x"',
    'urn:ietf:params:scim:schemas:core:2.0:Group:displayName eq "x"',
    'active gt true',
    'active eq "perhaps"',
    'userName eq 5',
    'userName co null',
    'meta.created gt "yesterday"',
    'meta.created co "2026-01-01T10:00:00Z"',
    'groups.value gt null',
  ])('fails with invalidFilter: %s', (filter) => {
    expect(() => filterSql(parseFilter(filter), 'User', 'r')).toThrow(refusal('invalidFilter'));
  });
});

test("filterSql passes the caller's values as parameters, outside the statement's text", () => {
  const { texts, values } = filterSql(parseFilter('title eq "drop table" and USERNAME co "x%"'), 'User', 'r');
  expect(texts.join('')).not.toMatch(/drop table|USERNAME|x%/);
  expect(values).toEqual(expect.arrayContaining(['drop table', '%x\\%%']));
});

test('filterSql compares user names in lower case, as in their index', () => {
  const { texts, values } = filterSql(parseFilter('userName eq "carl"'), 'User', 'r');
  expect(texts).toEqual(['lower(r.user_name) = lower(', '::text)']);
  expect(values).toEqual(['carl']);
});
