import { randomUUID } from 'node:crypto';
import type { ScimGroupRecord } from '../../contract/directory/groups.ts';
import type { ScimGroupMappingRecord } from '../../contract/directory/mappings.ts';
import type { Place } from './accounts.ts';
import type { Caller } from './caller.ts';
import type { Gateway } from './gateway.ts';
import { useOrganization } from './organizations.ts';
import { makeWorkspace } from './workspaces.ts';

/** The part of a gateway for which rows of a directory are inserted. */
type DirectoryGateway = Pick<Gateway, 'database' | 'organizationId'>;

/** An organization of one test, with a workspace named `team`. */
export interface Company {
  /** The gateway of the suite. */
  gateway: Gateway;
  /** The gateway, with the organization and its default workspace in place of its own. */
  company: Gateway;
  place: Place;
  manager: Caller;
  workspaceId: string;
}

/** Opens and closes a gateway for the tests of a suite. Calls `begin` before each test, with a new company. */
export function useCompany(begin: (company: Company) => unknown): void {
  useOrganization(async ({ gateway, place, manager }) => {
    const { id: workspaceId } = await makeWorkspace(manager, 'team');
    begin({ gateway, company: { ...gateway, ...place }, place, manager, workspaceId });
  });
}

export interface PersonFacts {
  userName?: string;
  email?: string;
  active?: boolean;
  organizationId?: string;
}

/** Inserts a person of whom nothing follows yet. Returns the person's id. */
export async function addPerson(gateway: DirectoryGateway, facts: PersonFacts = {}): Promise<string> {
  const id = randomUUID();
  const { userName = `${id}@people.example`, active = true, organizationId = gateway.organizationId } = facts;
  const { email = userName } = facts;
  await gateway.database.query(
    `insert into directory_people (id, organization_id, user_name, email, active, resource)
     values ($1, $2, $3, $4, $5, jsonb_build_object('userName', $3::text, 'active', $5::boolean))`,
    [id, organizationId, userName, email, active],
  );
  return id;
}

/** Inserts many people at once. Returns their ids. */
export async function addPeople(gateway: DirectoryGateway, count: number): Promise<string[]> {
  const { rows } = await gateway.database.query<{ id: string }>(
    `insert into directory_people (id, organization_id, user_name, email, active, resource)
     select id, $1, id || '@people.example', id || '@people.example', true, '{}'
     from (select gen_random_uuid() id from generate_series(1, $2)) people returning id`,
    [gateway.organizationId, count],
  );
  return rows.map(({ id }) => id);
}

/** Inserts a group with these members. Returns its id. */
export async function addGroup(
  gateway: DirectoryGateway,
  personIds: readonly string[] = [],
  { name = 'A group', organizationId = gateway.organizationId } = {},
): Promise<string> {
  const id = randomUUID();
  await gateway.database.query(
    'insert into directory_groups (id, organization_id, display_name) values ($1, $2, $3)',
    [id, organizationId, name],
  );
  await gateway.database.query(
    `insert into directory_group_members (group_id, value, person_id)
     select $1, person::text, person from unnest($2::uuid[]) person`,
    [id, personIds],
  );
  return id;
}

/** Returns the user who a person is. */
export async function userOf(gateway: DirectoryGateway, personId: string): Promise<string> {
  const { rows } = await gateway.database.query<{ user_id: string | null }>(
    'select user_id from directory_people where id = $1',
    [personId],
  );
  const userId = rows[0]?.user_id;
  if (userId == null) throw new Error('the person is no user');
  return userId;
}

export interface MappingBody {
  scim_group_id: string;
  workspace_id: string;
  role: string;
}

export function postMapping(
  manager: Caller,
  body: MappingBody,
  headers: Record<string, string> = {},
): Promise<Response> {
  return manager.call('POST', '/scim/group-mappings', { body, headers });
}

export async function makeMapping(
  manager: Caller,
  groupId: string,
  workspaceId: string,
  role = 'member',
): Promise<ScimGroupMappingRecord> {
  const body = { scim_group_id: groupId, workspace_id: workspaceId, role };
  return mappingOf(await postMapping(manager, body), 201);
}

export function patchMapping(manager: Caller, id: string, role: string): Promise<Response> {
  return manager.call('PATCH', `/scim/group-mappings/${id}`, { body: { role } });
}

export function deleteMapping(manager: Caller, id: string, keepMembers: boolean): Promise<Response> {
  return manager.call('DELETE', `/scim/group-mappings/${id}?keep_members=${keepMembers}`);
}

export function listMappings(manager: Caller, query = ''): Promise<Page<ScimGroupMappingRecord>> {
  return pageOf(manager, `/scim/group-mappings${query}`);
}

export function listGroups(manager: Caller, query = ''): Promise<Page<ScimGroupRecord>> {
  return pageOf(manager, `/scim/groups${query}`);
}

export interface Page<Record> {
  data: Record[];
  total_count: number;
}

async function pageOf<Record>(manager: Caller, path: string): Promise<Page<Record>> {
  const response = await manager.call('GET', path);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as Page<Record>;
}

export async function mappingOf(response: Response, status = 200): Promise<ScimGroupMappingRecord> {
  const text = await response.text();
  if (response.status !== status) throw new Error(`${response.status}: ${text}`);
  return (JSON.parse(text) as { data: ScimGroupMappingRecord }).data;
}

/** A member of a workspace as it is on the wire. */
export interface WireMember {
  id: string;
  user_id: string;
  role: string;
  created_at: string;
}

export async function membersOf(manager: Caller, workspaceId: string): Promise<WireMember[]> {
  const { data } = await pageOf<WireMember>(manager, `/workspaces/${workspaceId}/members?limit=100`);
  return data;
}

/** Returns the role of each member of a workspace by user. */
export async function rolesIn(manager: Caller, workspaceId: string): Promise<Record<string, string>> {
  const members = await membersOf(manager, workspaceId);
  return Object.fromEntries(members.map(({ user_id: user, role }) => [user, role]));
}
