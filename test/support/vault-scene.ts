import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import { addKey, addOrganization, addWorkspace, type IssuedKey, type Place } from './accounts.ts';
import { type Caller, createCaller } from './caller.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { callerOfIntern, makeIntern } from './interns.ts';

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

/** The part of an intern that its secrets depend on. */
export interface VaultIntern {
  id: string;
  vaultId: string;
  /** Where its secrets are: `/vault/interns/<id>`. */
  folder: string;
}

/** An organization of its own in the programme, with keys of its default workspace. */
export interface VaultScene extends Place {
  regular: Caller;
  manager: Caller;
  key: IssuedKey;
  /** Makes an intern, which borrows the vault of the lender if there is one. */
  intern(lender?: VaultIntern): Promise<VaultIntern>;
  /** Issues a key of the intern. */
  callerOf(intern: VaultIntern): Promise<Caller>;
}

export async function openVaultScene(gateway: Gateway): Promise<VaultScene> {
  const place = await addOrganization(gateway);
  await gateway.database.query(`update organizations set entitlements = '{interns}' where id = $1`, [
    place.organizationId,
  ]);
  return { ...place, ...(await addCallers(gateway, place)) };
}

/** Opens and closes a gateway for the tests of a suite. Calls `begin` before each test, with a new scene. */
export function useVaultScene(begin: (gateway: Gateway, scene: VaultScene) => unknown): void {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());
  beforeEach(async () => {
    await begin(gateway, await openVaultScene(gateway));
  });
}

/** Adds a workspace to the organization of a scene, with keys of its own. */
export async function addVaultWorkspace(gateway: Gateway, { organizationId }: Place): Promise<VaultScene> {
  const place = await addWorkspace({ ...gateway, organizationId });
  return { ...place, ...(await addCallers(gateway, place)) };
}

async function addCallers(gateway: Gateway, place: Place): Promise<Omit<VaultScene, keyof Place>> {
  const key = await addKey(gateway, place);
  const regular = createCaller(gateway.origin, key.token);
  const { token } = await addKey(gateway, { ...place, kind: 'management' });
  return {
    key,
    regular,
    manager: createCaller(gateway.origin, token),
    async intern(lender) {
      const made = await makeIntern(regular, lender === undefined ? {} : { vault_id: lender.vaultId });
      return { id: made.id, vaultId: made.vault_id, folder: `/vault/interns/${made.id}` };
    },
    callerOf: ({ id }) => callerOfIntern(gateway, regular, id),
  };
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
