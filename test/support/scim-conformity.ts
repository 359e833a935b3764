import { createCaller } from './caller.ts';
import { addGroup, makeMapping } from './directory.ts';
import type { Gateway } from './gateway.ts';
import { createScimClient, makeScimToken, userOf } from './scim.ts';

/** A request that must succeed: method, path, key or token, and body. */
export type GoodRequest = [method: string, path: string, key: string, body?: object];

/** One request for each operation of the SCIM server and of its tokens. */
export async function scimRequests(gateway: Gateway): Promise<GoodRequest[]> {
  const { managementKey } = gateway;
  const { record, token } = await makeScimToken(gateway);
  const client = createScimClient(gateway, token);
  const create = async (folder: string, body: object): Promise<string> =>
    `${scim}${folder}/${(await client.call('POST', folder, body)).body.id}`;
  const scim = '/api/v1/scim/v2';
  const tokens = '/api/v1/scim/tokens';
  const user = await create('/Users', userOf());
  const group = await create('/Groups', { displayName: 'Old' });
  const replace = (path: string, value: unknown) => ({ Operations: [{ op: 'replace', path, value }] });
  return [
    ['GET', `${scim}/ServiceProviderConfig`, token],
    ['GET', `${scim}/ResourceTypes`, token],
    ['GET', `${scim}/ResourceTypes/User`, token],
    ['GET', `${scim}/Schemas`, token],
    ['GET', `${scim}/Schemas/urn:ietf:params:scim:schemas:core:2.0:User`, token],
    ['POST', `${scim}/Users`, token, userOf()],
    ['GET', `${scim}/Users`, token],
    ['GET', user, token],
    ['PUT', user, token, userOf()],
    ['PATCH', user, token, replace('active', true)],
    ['DELETE', user, token],
    ['POST', `${scim}/Groups`, token, { displayName: 'Audited' }],
    ['GET', `${scim}/Groups`, token],
    ['GET', group, token],
    ['PUT', group, token, { displayName: 'Other' }],
    ['PATCH', group, token, replace('displayName', 'New')],
    ['DELETE', group, token],
    ['POST', tokens, managementKey, { label: 'Audited' }],
    ['GET', tokens, managementKey],
    ['DELETE', `${tokens}/${record.id}`, managementKey],
  ];
}

/** One request for each operation on mappings, on the source and on sync jobs. */
export async function syncRequests(gateway: Gateway): Promise<GoodRequest[]> {
  const { managementKey, workspaceId } = gateway;
  const caller = createCaller(gateway.origin, managementKey);
  const groupId = await addGroup(gateway);
  const mapping = await makeMapping(caller, groupId, workspaceId);
  const scim = '/api/v1/scim';
  const started = await caller.call('POST', `${scim}/sync-jobs`);
  const job = `${scim}/sync-jobs/${((await started.json()) as { data: { id: string } }).data.id}`;
  const mappings = `${scim}/group-mappings`;
  return [
    ['GET', `${scim}/groups`, managementKey],
    ['GET', mappings, managementKey],
    ['POST', mappings, managementKey, { scim_group_id: groupId, workspace_id: workspaceId, role: 'member' }],
    ['GET', `${mappings}/${mapping.id}`, managementKey],
    ['PATCH', `${mappings}/${mapping.id}`, managementKey, { role: 'admin' }],
    ['DELETE', `${mappings}/${mapping.id}?keep_members=false`, managementKey],
    ['GET', `${scim}/source`, managementKey],
    ['PUT', `${scim}/source`, managementKey, { type: 'pushed' }],
    ['DELETE', `${scim}/source`, managementKey],
    ['POST', `${scim}/sync-jobs`, managementKey],
    ['GET', `${scim}/sync-jobs`, managementKey],
    ['GET', job, managementKey],
    ['GET', `${job}/changes`, managementKey],
  ];
}
