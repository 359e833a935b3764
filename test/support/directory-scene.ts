import { createAccountStore } from '../../db/accounts/account-store.ts';
import { createApiKeyStore, type NewApiKey } from '../../db/accounts/api-key-store.ts';
import { createDatabase, type Database, type Handle, rowsOf } from '../../db/connection.ts';
import { lockDirectory } from '../../db/accounts/lock-directory.ts';
import { createOrganizationStore } from '../../db/accounts/organization-store.ts';
import { createWorkspaceMemberStore } from '../../db/accounts/workspace-member-store.ts';
import type { DisableKeys } from '../../domain/directory/source.ts';
import { newUuid } from '../../domain/ids.ts';
import type { OrganizationRole } from '../../domain/accounts/organization.ts';
import type { WorkspaceRole } from '../../domain/accounts/workspace-member.ts';
import { newToken } from '../../services/accounts/identity/key-token.ts';
import { type Applied, applyPeople } from '../../services/directory/membership/apply-people.ts';
import { createTestDatabase } from './database.ts';

export interface DirectoryScene {
  url: string;
  knex: Handle;
  newOrganization(): Promise<DirectoryOrganization>;
  close(): Promise<void>;
}

export interface PersonFacts {
  userName: string;
  email: string;
  externalId: string | null;
  active: boolean;
  deleted: boolean;
  givenName: string | null;
  familyName: string | null;
  held: boolean;
}

export interface Shown {
  id: string;
  workspaceId: string;
  userId: string;
  role: WorkspaceRole;
}

/** A database of its own, for what directories change in organizations. */
export async function createDirectoryScene(poolMax = 10): Promise<DirectoryScene> {
  const database = await createTestDatabase();
  const connection: Database = createDatabase({ url: database.url, poolMax });
  return {
    url: database.url,
    knex: connection.knex,
    newOrganization: () => createOrganization(connection.knex),
    close: async () => {
      await connection.close();
      await database.drop();
    },
  };
}

export type DirectoryOrganization = Awaited<ReturnType<typeof createOrganization>>;

/** An organization with a default workspace, and the means to change and read it. */
async function createOrganization(knex: Handle) {
  const id = newUuid();
  await createAccountStore(knex).insertOrganization({
    id,
    name: 'An organization',
    creditEnforcement: false,
    entitlements: [],
  });
  const defaultWorkspaceId = await insertWorkspace(knex, id, true);
  return {
    id,
    defaultWorkspaceId,
    ...changes(knex, id),
    ...readings(knex, id),
  };
}

function changes(knex: Handle, organizationId: string) {
  const addPerson = async (facts: Partial<PersonFacts> & { userName: string }): Promise<string> => {
    const id = newUuid();
    await knex.raw(
      `insert into directory_people (id, organization_id, external_id, user_name, email, given_name, family_name,
         active, resource, deleted_at, removal_held_at)
       values (?, ?, ?, ?, ?, ?, ?, ?, '{}', case when ? then now() end, case when ? then now() end)`,
      [
        id,
        organizationId,
        facts.externalId ?? null,
        facts.userName,
        facts.email ?? `${facts.userName}@example.com`,
        facts.givenName ?? null,
        facts.familyName ?? null,
        facts.active ?? true,
        facts.deleted ?? false,
        facts.held ?? false,
      ],
    );
    return id;
  };
  return {
    addWorkspace: () => insertWorkspace(knex, organizationId, false),

    async addMember(email: string, role: OrganizationRole = 'org:member'): Promise<string> {
      const member = { email, firstName: null, lastName: null, role };
      return (await createOrganizationStore(knex).addMember(organizationId, member)).userId;
    },

    addByHand: (workspaceId: string, userIds: string[]) =>
      createWorkspaceMemberStore(knex).add(workspaceId, userIds),

    addPerson,

    async addPeople(...userNames: string[]): Promise<string[]> {
      const ids: string[] = [];
      for (const userName of userNames) ids.push(await addPerson({ userName }));
      return ids;
    },

    async change(personId: string, columns: Record<string, unknown>): Promise<void> {
      await knex('directory_people').where({ id: personId }).update(columns);
    },

    /** A group of these people that is mapped to workspaces. */
    async addGroup(
      personIds: readonly string[],
      mappings: readonly [workspaceId: string, role: WorkspaceRole][] = [],
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
    },

    async addKey(facts: Partial<NewApiKey> & { workspaceId: string }): Promise<string> {
      const { hash, label } = newToken();
      await createApiKeyStore(knex).insert({
        hash,
        label,
        name: 'A key',
        kind: 'regular',
        organizationId,
        ...facts,
      });
      return hash;
    },

    /** A job that runs. */
    async addJob({ isFull = true, trigger = 'request' } = {}): Promise<string> {
      const id = newUuid();
      await knex.raw(
        `insert into directory_jobs (id, organization_id, source, trigger, dry_run, allow_deletions, is_full, state)
         values (?, ?, 'pushed', ?, false, false, ?, 'running')`,
        [id, organizationId, trigger, isFull],
      );
      return id;
    },

    /** Applies people as a push or a job does. */
    apply(
      personIds: readonly string[],
      {
        disableKeys = 'all',
        jobId = null,
        beforeCommit = () => undefined,
      }: { disableKeys?: DisableKeys; jobId?: string | null; beforeCommit?: () => unknown } = {},
    ): Promise<Applied> {
      return knex.transaction(async (transaction) => {
        await lockDirectory(transaction, organizationId);
        const applied = await applyPeople(transaction, {
          organizationId,
          personIds,
          jobId,
          disableKeys,
          actor: { organizationId, isSystem: true },
        });
        await beforeCommit();
        return applied;
      });
    },
  };
}

function readings(knex: Handle, organizationId: string) {
  return {
    async userOf(personId: string): Promise<string | null> {
      const [row] = await rowsOf<{ user_id: string | null }>(
        knex,
        'select user_id from directory_people where id = ?',
        [personId],
      );
      return row?.user_id ?? null;
    },

    /** By user: the role in the organization. */
    async members(): Promise<Map<string, string>> {
      const rows = await rowsOf<{ user_id: string; role: string }>(
        knex,
        'select user_id, role from organization_members where organization_id = ?',
        [organizationId],
      );
      return new Map(rows.map((row) => [row.user_id, row.role]));
    },

    /** The members that a workspace shows, by user. */
    async shown(workspaceId: string): Promise<Map<string, Shown>> {
      const { members } = await createWorkspaceMemberStore(knex).list(workspaceId, {
        limit: 1_000,
        offset: 0,
      });
      return new Map(members.map(({ id, userId, role }) => [userId, { id, workspaceId, userId, role }]));
    },

    async enabledKeys(): Promise<string[]> {
      const rows = await rowsOf<{ hash: string }>(
        knex,
        'select hash from api_keys where organization_id = ? and not disabled and deleted_at is null order by id',
        [organizationId],
      );
      return rows.map(({ hash }) => hash);
    },

    lines: (jobId: string | null = null) =>
      rowsOf<{
        kind: string;
        user_id: string | null;
        workspace_id: string | null;
        key_hash: string | null;
        name: string;
        from_value: string | null;
        to_value: string | null;
        is_removal: boolean;
      }>(
        knex,
        `select kind, user_id, workspace_id, key_hash, name, from_value, to_value, is_removal from directory_changes
         where organization_id = :organizationId and job_id is not distinct from cast(:jobId as uuid) order by n`,
        { organizationId, jobId },
      ),

    async audited(): Promise<string[]> {
      const rows = await rowsOf<{ line: string }>(
        knex,
        `select action || ' ' || target line from audit_log where organization_id = ? order by created_at, id`,
        [organizationId],
      );
      return rows.map(({ line }) => line);
    },
  };
}

async function insertWorkspace(knex: Handle, organizationId: string, isDefault: boolean): Promise<string> {
  const id = newUuid();
  await createAccountStore(knex).insertWorkspace({
    id,
    organizationId,
    name: 'A workspace',
    slug: `w-${id.slice(0, 8)}`,
    isDefault,
    defaultCallbackUrl: null,
    createdBy: null,
  });
  return id;
}
