/** Inserts people, groups and jobs of a directory. Nothing follows from them until somebody is applied. */
import type { Handle } from './open-database.ts';
import { newUuid } from '../../domain/ids.ts';
import type { WorkspaceRole } from '../../domain/accounts/workspace-member.ts';

export interface PersonFacts {
  userName: string;
  email?: string;
  externalId?: string | null;
  active?: boolean;
  deleted?: boolean;
  givenName?: string | null;
  familyName?: string | null;
  held?: boolean;
}

export async function insertPerson(
  knex: Handle,
  organizationId: string,
  { userName, email = `${userName}@example.com`, active = true, ...facts }: PersonFacts,
): Promise<string> {
  const { externalId = null, givenName = null, familyName = null, deleted = false, held = false } = facts;
  const id = newUuid();
  await knex.raw(
    `insert into directory_people (id, organization_id, external_id, user_name, email, given_name, family_name,
       active, resource, deleted_at, removal_held_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, '{}', case when ? then now() end, case when ? then now() end)`,
    [id, organizationId, externalId, userName, email, givenName, familyName, active, deleted, held],
  );
  return id;
}

/** Inserts a group of these people that is mapped to workspaces. */
export async function insertGroup(
  knex: Handle,
  organizationId: string,
  personIds: readonly string[],
  mappings: readonly [workspaceId: string, role: WorkspaceRole][],
): Promise<string> {
  const id = newUuid();
  await knex.raw('insert into directory_groups (id, organization_id, display_name) values (?, ?, ?)', [
    id,
    organizationId,
    `Group ${id}`,
  ]);
  await knex.raw(
    `insert into directory_group_members (group_id, value, person_id)
     select cast(:id as uuid), p, p::uuid from unnest(cast(:personIds as text[])) p`,
    { id, personIds: [...personIds] },
  );
  for (const [workspaceId, role] of mappings) {
    await knex.raw(
      `insert into directory_mappings (id, organization_id, group_id, workspace_id, role) values (?, ?, ?, ?, ?)`,
      [newUuid(), organizationId, id, workspaceId, role],
    );
  }
  return id;
}

/** Inserts a job that runs. */
export async function insertJob(
  knex: Handle,
  organizationId: string,
  { isFull = true, trigger = 'request' } = {},
): Promise<string> {
  const id = newUuid();
  await knex.raw(
    `insert into directory_jobs (id, organization_id, source, trigger, dry_run, allow_deletions, is_full, state)
     values (?, ?, 'pushed', ?, false, false, ?, 'running')`,
    [id, organizationId, trigger, isFull],
  );
  return id;
}
