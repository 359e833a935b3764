import { expect } from '@jest/globals';
import { addKey, addOrganization, addWorkspace, type IssuedKey, type Place } from './accounts.ts';
import { type Caller, createCaller } from './caller.ts';
import type { Gateway } from './gateway.ts';
import { addIntern, type StoredIntern } from './vaults.ts';

/** A secret as the API shows it; `scope` is there in lists of effective secrets only. */
export interface WireSecret {
  name: string;
  hosts: string[] | null;
  fingerprint: string | null;
  created_at: string;
  scope?: string;
}

export interface WirePage {
  data: WireSecret[];
  has_more: boolean;
}

/** An organization of its own in the programme, with keys of its default workspace. */
export interface VaultScene extends Place {
  regular: Caller;
  manager: Caller;
  key: IssuedKey;
  /** Puts an intern into the default workspace, unless the facts say otherwise. */
  intern(facts?: Parameters<typeof addIntern>[1]): Promise<StoredIntern>;
  /** Issues a key of the intern. */
  callerOf(intern: StoredIntern): Promise<Caller>;
}

export async function openVaultScene(gateway: Gateway): Promise<VaultScene> {
  const place = await addOrganization(gateway);
  await gateway.database.query(`update organizations set entitlements = '{interns}' where id = $1`, [
    place.organizationId,
  ]);
  const callerWith = ({ token }: IssuedKey): Caller => createCaller(gateway.origin, token);
  const key = await addKey(gateway, place);
  return {
    ...place,
    key,
    regular: callerWith(key),
    manager: callerWith(await addKey(gateway, { ...place, kind: 'management' })),
    intern: (facts) => addIntern({ ...gateway, ...place }, facts),
    callerOf: async ({ id, organizationId, workspaceId }) =>
      callerWith(await addKey(gateway, { organizationId, workspaceId, kind: 'intern', internId: id })),
  };
}

/** Adds a workspace to the organization of a scene, with a regular key. */
export async function addVaultWorkspace(gateway: Gateway, { organizationId }: Place) {
  const place = await addWorkspace({ ...gateway, organizationId });
  const { token } = await addKey(gateway, place);
  return { ...place, regular: createCaller(gateway.origin, token) };
}

export const OWN_HOSTS = ['api.example.com'];

/** Stores a secret below `folder`: `/vault` or `/vault/interns/<id>`. */
export async function putSecret(
  caller: Caller,
  folder: string,
  name: string,
  { value = `value of ${name}`, hosts = OWN_HOSTS }: { value?: string; hosts?: string[] } = {},
): Promise<WireSecret> {
  const response = await caller.call('PUT', `${folder}/secrets/${name}`, { body: { value, hosts } });
  expect([response.status, await response.clone().text()]).toEqual([200, expect.any(String)]);
  return ((await response.json()) as { data: WireSecret }).data;
}

export async function pageOf(caller: Caller, path: string): Promise<WirePage> {
  const response = await caller.call('GET', path);
  expect(response.status).toBe(200);
  return (await response.json()) as WirePage;
}

export async function namesOf(caller: Caller, path: string): Promise<string[]> {
  return (await pageOf(caller, path)).data.map(({ name }) => name);
}
