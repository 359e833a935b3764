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
