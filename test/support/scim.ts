import { afterAll, beforeAll, expect } from '@jest/globals';
import { addKey, type Place } from './accounts.ts';
import { type Caller, createCaller } from './caller.ts';
import { type Gateway, startGateway } from './gateway.ts';

export interface WireScimToken {
  id: string;
  label: string;
  created_at: string;
  last_used_at: string | null;
}

export async function makeScimToken(
  gateway: Pick<Gateway, 'origin' | 'managementKey'>,
  label = 'Okta',
): Promise<{ record: WireScimToken; token: string }> {
  const manager = createCaller(gateway.origin, gateway.managementKey);
  const response = await manager.call('POST', '/scim/tokens', { body: { label } });
  expect(response.status).toBe(201);
  const { data, token } = (await response.json()) as { data: WireScimToken; token: string };
  return { record: data, token };
}

/** An answer of the SCIM server, read. */
export interface ScimAnswer {
  status: number;
  headers: Headers;
  /** Undefined where the answer has no body. */
  body: ScimBody;
}

// Tests know which shape they asked for.
// oxlint-disable-next-line typescript/no-explicit-any
export type ScimBody = any;

/** Calls the SCIM server with one token, as identity providers do. Paths are below `/scim/v2`. */
export interface ScimClient {
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ScimAnswer>;
}

export function createScimClient(gateway: Pick<Gateway, 'origin'>, token?: string): ScimClient {
  const caller: Caller = createCaller(gateway.origin, token);
  return {
    async call(method, path, body, headers = {}) {
      const response = await caller.call(method, `/scim/v2${path}`, {
        ...(body === undefined ? {} : { body }),
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }), ...headers },
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: text === '' ? undefined : JSON.parse(text),
      };
    },
  };
}

/** Opens and closes a gateway with a client of its SCIM server for the tests of a suite. */
export function useScim(begin: (gateway: Gateway, client: ScimClient) => unknown): void {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
    await begin(gateway, createScimClient(gateway, (await makeScimToken(gateway)).token));
  });
  afterAll(() => gateway.close());
}

/** A user as providers send one. The name is new each time. */
export function userOf(facts: object = {}): Record<string, unknown> {
  const userName = `${crypto.randomUUID()}@example.com`;
  const { userName: email } = { userName, ...facts };
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName,
    name: { givenName: 'Ada', familyName: 'Lovelace' },
    emails: [{ value: email, type: 'work', primary: true }],
    active: true,
    ...facts,
  };
}

/** The identity provider of another organization. */
export async function strangerTo(gateway: Gateway, place: Place): Promise<ScimClient> {
  const { token } = await addKey(gateway, { kind: 'management', ...place });
  return createScimClient(gateway, (await makeScimToken({ ...gateway, managementKey: token })).token);
}

/** Puts people into the directory without any request. Returns their ids. */
export async function addPeople(
  { database, organizationId }: Pick<Gateway, 'database' | 'organizationId'>,
  count: number,
): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    `insert into directory_people (id, organization_id, user_name, email, active, resource)
     select id, $1, id::text, id::text, true, json_build_object('userName', id, 'active', true)
     from (select gen_random_uuid() as id from generate_series(1, $2)) new
     returning id`,
    [organizationId, count],
  );
  return rows.map(({ id }) => id);
}

/** Maps a group to a workspace without any request: nothing follows from it until somebody is applied. */
export async function mapGroup(
  { database, organizationId }: Pick<Gateway, 'database' | 'organizationId'>,
  groupId: string,
  workspaceId: string,
  role: 'admin' | 'member',
): Promise<void> {
  await database.query(
    `insert into directory_mappings (id, organization_id, group_id, workspace_id, role)
     values (gen_random_uuid(), $1, $2, $3, $4)`,
    [organizationId, groupId, workspaceId, role],
  );
}

/** Returns the user who the person became, with their role in the organization; undefined while they are no member. */
export async function memberWith(
  gateway: Pick<Gateway, 'origin' | 'managementKey'>,
  email: string,
): Promise<{ id: string; role: string } | undefined> {
  const manager = createCaller(gateway.origin, gateway.managementKey);
  const response = await manager.call('GET', '/organization/members?limit=100');
  const { data } = (await response.json()) as { data: { id: string; email: string; role: string }[] };
  return data.find((member) => member.email === email);
}
