import { afterEach, beforeEach } from '@jest/globals';
import { createDatabase, type Database, type Handle } from './open-database.ts';
import { lockDirectory } from '../../db/accounts/lock-directory.ts';
import { createOrganizationStore } from '../../db/accounts/organization-store.ts';
import { createWorkspaceMemberStore } from '../../db/accounts/workspace-member-store.ts';
import type { DisableKeys } from '../../domain/directory/source.ts';
import type { NewApiKey } from '../../db/accounts/api-key-store.ts';
import type { OrganizationRole } from '../../domain/accounts/organization.ts';
import type { WorkspaceRole } from '../../domain/accounts/workspace-member.ts';
import { type Applied, applyPeople } from '../../services/directory/membership/apply-people.ts';
import { insertKey, insertOrganization, insertWorkspace } from './accounts.ts';
import { createTestDatabase } from './database.ts';
import { changeReadings, memberReadings } from './directory-readings.ts';
import { insertGroup, insertJob, insertPerson, type PersonFacts } from './directory-rows.ts';

export interface DirectoryScene {
  url: string;
  knex: Handle;
  poolUse: Database['poolUse'];
  newOrganization(): Promise<DirectoryOrganization>;
  close(): Promise<void>;
}

/** A database of its own, for what directories change in organizations. */
export async function createDirectoryScene(poolMax = 10): Promise<DirectoryScene> {
  const database = await createTestDatabase();
  const connection: Database = createDatabase({ url: database.url, poolMax });
  return {
    url: database.url,
    knex: connection.knex,
    poolUse: () => connection.poolUse(),
    newOrganization: () => createOrganization(connection.knex),
    close: async () => {
      await connection.close();
      await database.drop();
    },
  };
}

/** Opens and closes a database with one organization for each test of a suite. */
export function useFreshOrganization(
  begin: (scene: DirectoryScene, organization: DirectoryOrganization) => unknown,
  poolMax?: number,
): void {
  let scene: DirectoryScene;
  beforeEach(async () => {
    scene = await createDirectoryScene(poolMax);
    begin(scene, await scene.newOrganization());
  });
  afterEach(() => scene.close());
}

export type DirectoryOrganization = Awaited<ReturnType<typeof createOrganization>>;

/** An organization with a default workspace, and the means to change and read it. */
async function createOrganization(knex: Handle) {
  const { organizationId: id, workspaceId: defaultWorkspaceId } = await insertOrganization(knex);
  return {
    id,
    defaultWorkspaceId,
    ...accountChanges(knex, id),
    ...directoryChanges(knex, id),
    ...memberReadings(knex, id),
    ...changeReadings(knex, id),
  };
}

function accountChanges(knex: Handle, organizationId: string) {
  return {
    async addWorkspace(): Promise<string> {
      return (await insertWorkspace(knex, organizationId, false)).workspaceId;
    },

    async addMember(email: string, role: OrganizationRole = 'org:member'): Promise<string> {
      const member = { email, firstName: null, lastName: null, role };
      return (await createOrganizationStore(knex).addMember(organizationId, member)).userId;
    },

    addByHand: (workspaceId: string, userIds: string[]) =>
      createWorkspaceMemberStore(knex).add(workspaceId, userIds),

    async addKey(facts: Partial<NewApiKey> & { workspaceId: string }): Promise<string> {
      return (await insertKey(knex, { organizationId, ...facts })).hash;
    },
  };
}

function directoryChanges(knex: Handle, organizationId: string) {
  const addPerson = (facts: PersonFacts) => insertPerson(knex, organizationId, facts);
  return {
    addPerson,

    async addPeople(...userNames: string[]): Promise<string[]> {
      const ids: string[] = [];
      for (const userName of userNames) ids.push(await addPerson({ userName }));
      return ids;
    },

    async change(personId: string, columns: Record<string, unknown>): Promise<void> {
      await knex('directory_people').where({ id: personId }).update(columns);
    },

    /** Adds a group of these people that is mapped to workspaces. */
    addGroup: (
      personIds: readonly string[],
      mappings: readonly [workspaceId: string, role: WorkspaceRole][] = [],
    ) => insertGroup(knex, organizationId, personIds, mappings),

    /** Adds a job that runs. */
    addJob: (facts?: { isFull?: boolean; trigger?: string }) => insertJob(knex, organizationId, facts),

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
