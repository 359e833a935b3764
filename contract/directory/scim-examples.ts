/** Provides example users, groups and changes for the documentation of the SCIM server. */

const base = 'https://gateway.example.com/api/v1/scim/v2';
const userId = '0f6f1a52-2d1f-4f2a-9a0e-6a3f0b7c9d11';
const groupId = 'a3f1d7c6-77b0-4d0f-8a55-3c1e5d2b9f20';
const times = { created: '2026-01-01T00:00:00.000Z', lastModified: '2026-01-02T00:00:00.000Z' };

const newUser = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  externalId: '00u1emaKYZTWRYYRRTSK',
  userName: 'ada@example.com',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [{ value: 'ada@example.com', type: 'work', primary: true }],
  active: true,
};

export const user = {
  ...newUser,
  id: userId,
  groups: [{ value: groupId, display: 'Research', type: 'direct' }],
  meta: { resourceType: 'User', ...times, location: `${base}/Users/${userId}`, version: 'W/"2"' },
};

const newGroup = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
  displayName: 'Research',
  members: [{ value: userId }],
};

export const group = {
  ...newGroup,
  id: groupId,
  members: [{ value: userId, type: 'User' }],
  meta: { resourceType: 'Group', ...times, location: `${base}/Groups/${groupId}`, version: 'W/"3"' },
};

export const users = { user: { summary: 'A user of Okta', value: newUser } };
export const groups = { group: { summary: 'A group of one', value: newGroup } };

const patch = { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'] };

export const userChanges = {
  okta: {
    summary: 'Okta deactivates a user',
    value: { ...patch, Operations: [{ op: 'replace', value: { active: false } }] },
  },
  entra: {
    summary: 'Entra ID deactivates a user',
    value: { ...patch, Operations: [{ op: 'Replace', path: 'active', value: 'False' }] },
  },
};

export const groupChanges = {
  add: {
    summary: 'A new member',
    value: { ...patch, Operations: [{ op: 'add', path: 'members', value: [{ value: userId }] }] },
  },
  remove: {
    summary: 'A member leaves',
    value: { ...patch, Operations: [{ op: 'remove', path: `members[value eq "${userId}"]` }] },
  },
};

/** Returns a list with one resource. */
export function listOf<Resource>(resource: Resource) {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'] as const,
    totalResults: 1,
    startIndex: 1,
    itemsPerPage: 1,
    Resources: [resource],
  };
}
