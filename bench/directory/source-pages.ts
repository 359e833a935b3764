/** The size of a made-up directory. */
export interface DirectorySize {
  people: number;
  groups: number;
  /** The memberships of all groups together, spread evenly. */
  memberships: number;
}

const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const CHANGED = '2026-01-01T00:00:00Z';
const DEPARTMENTS = ['Research', 'Sales', 'Support', 'Operations', 'Finance'];

/** Returns a page of people as JSON text. Each tenant has its own people. */
export function peoplePage(tenant: string, total: number, startIndex: number, count: number): string {
  return page(total, startIndex, count, (n) => personText(tenant, n));
}

/** Returns a page of groups, with their members, as JSON text. */
export function groupsPage(tenant: string, size: DirectorySize, startIndex: number, count: number): string {
  return page(size.groups, startIndex, count, (n) => groupText(tenant, size, n));
}

/** Returns the id of a person, derived from the number. */
function personId(n: number): string {
  return `10000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
}

function page(total: number, startIndex: number, count: number, textOf: (n: number) => string): string {
  const from = startIndex - 1;
  const length = Math.max(0, Math.min(count, total - from));
  const resources = Array.from({ length }, (_, i) => textOf(from + i)).join(',');
  return `{"schemas":["${LIST}"],"totalResults":${total},"startIndex":${startIndex},"itemsPerPage":${length},"Resources":[${resources}]}`;
}

function personText(tenant: string, n: number): string {
  const email = `person-${n}@${tenant}.example`;
  return JSON.stringify({
    schemas: [USER, ENTERPRISE],
    id: personId(n),
    externalId: `${tenant}-employee-${n}`,
    userName: email,
    name: { givenName: `Given${n}`, familyName: `Family${n}`, formatted: `Given${n} Family${n}` },
    displayName: `Given${n} Family${n}`,
    title: 'Engineer',
    emails: [{ value: email, type: 'work', primary: true }],
    phoneNumbers: [{ value: `+1-555-${n}`, type: 'work' }],
    active: true,
    [ENTERPRISE]: { employeeNumber: `${n}`, department: DEPARTMENTS[n % DEPARTMENTS.length] },
    meta: { resourceType: 'User', created: CHANGED, lastModified: CHANGED, version: 'W/"1"' },
  });
}

function groupText(tenant: string, { people, groups, memberships }: DirectorySize, n: number): string {
  const each = Math.min(people, Math.floor(memberships / groups));
  const members = Array.from({ length: each }, (_, i) => ({
    value: personId((n * each + i) % people),
    type: 'User',
  }));
  return JSON.stringify({
    schemas: [GROUP],
    id: `20000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`,
    externalId: `${tenant}-group-${n}`,
    displayName: `Group ${n}`,
    members,
    meta: { resourceType: 'Group', created: CHANGED, lastModified: CHANGED, version: 'W/"1"' },
  });
}
