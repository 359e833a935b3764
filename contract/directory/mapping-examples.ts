/** Provides the API reference with examples of a directory group and its mapping to a workspace. */

const TIME = '2026-01-01T00:00:00.000Z';
const organizationId = '6a1f0a52-0c6d-4a1e-8f1c-3f2b9d7e5a10';

export const scimGroupExample = {
  id: 'c2d6b0f4-51a7-4e0b-9a63-1d8f7e2c4b95',
  display_name: 'Research',
  external_id: '00g1emaKYZTWRYYRRTSK',
  organization_id: organizationId,
  created_at: TIME,
  updated_at: TIME,
};

export const mappingExample = {
  id: '9e4b1c70-2f38-4d5a-8c16-7b0a3e9d6f21',
  organization_id: organizationId,
  scim_group_id: scimGroupExample.id,
  workspace_id: '0b0f4a3e-6f0f-4f57-8a55-3a0a2f0f9c11',
  role: 'member',
  created_at: TIME,
  updated_at: TIME,
};
