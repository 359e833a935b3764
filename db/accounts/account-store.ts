/** Inserts organizations, users and workspaces, and finds the first organization and its default workspace. */
import type { Handle } from '../postgres/connection.ts';
import { anyRows, firstRow } from '../postgres/results.ts';
import { bool, type RowOf, selectList, text, uuid } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';

/** The facts that identify a workspace. `workspace-store.ts` has its settings. */
const KNOWN_WORKSPACE = {
  id: uuid,
  organizationId: uuid,
  name: text,
  slug: text,
  isDefault: bool,
  defaultCallbackUrl: text.orNull,
};
export type KnownWorkspace = RowOf<typeof KNOWN_WORKSPACE>;

const WORKSPACES = `select ${selectList(KNOWN_WORKSPACE)} from workspaces`;

/** Stores organizations, users and workspaces. */
export function createAccountStore(handle: Handle) {
  /** Returns the oldest organizations, oldest first. */
  const firstOrganizations = (limit: number): Promise<{ id: string }[]> =>
    rowsOf(handle, { id: uuid }, 'select id from organizations order by created_at limit :limit', { limit });
  return {
    ...accountInserts(handle),

    /**
     * Returns whether the user is a member of the organization. Inside a transaction, the membership cannot be deleted
     * before the commit.
     */
    isMember: (organizationId: string, userId: string): Promise<boolean> =>
      anyRows(
        handle,
        `select from organization_members where organization_id = :organizationId and user_id = :userId
         for key share`,
        { organizationId, userId },
      ),

    async findWorkspace(id: string): Promise<KnownWorkspace | null> {
      const statement = `${WORKSPACES} where id = :id and deleted_at is null`;
      return firstRow(handle, KNOWN_WORKSPACE, statement, { id });
    },

    async defaultWorkspace(organizationId: string): Promise<KnownWorkspace | null> {
      const statement = `${WORKSPACES} where organization_id = :organizationId and is_default`;
      return firstRow(handle, KNOWN_WORKSPACE, statement, { organizationId });
    },

    firstOrganization: async (): Promise<{ id: string } | null> => (await firstOrganizations(1))[0] ?? null,

    firstOrganizations,

    hasOrganization: (id: string): Promise<boolean> =>
      anyRows(handle, 'select from organizations where id = :id', { id }),

    /** Locks the organization until the commit. Hold the lock while checking credit and committing a reservation. */
    async lock(organizationId: string): Promise<void> {
      const statement = 'select from organizations where id = :organizationId for no key update';
      if (await anyRows(handle, statement, { organizationId })) return;
      throw new Error('a key without its organization');
    },
  };
}

/** Builds the methods that store organizations, users, members and workspaces. */
function accountInserts(handle: Handle) {
  return {
    async insertOrganization(organization: {
      id: string;
      name: string;
      creditEnforcement: boolean;
      entitlements: string[];
    }): Promise<void> {
      await run(
        handle,
        `insert into organizations (id, name, credit_enforcement, entitlements)
         values (:id, :name, :creditEnforcement, :entitlements)`,
        organization,
      );
    },

    async insertUser(user: { id: string; email: string }): Promise<void> {
      await run(handle, 'insert into users (id, email) values (:id, :email)', user);
    },

    async insertOrganizationMember(organizationId: string, userId: string, role: string): Promise<void> {
      await run(
        handle,
        `insert into organization_members (organization_id, user_id, role)
         values (:organizationId, :userId, :role)`,
        { organizationId, userId, role },
      );
    },

    async insertWorkspace(workspace: KnownWorkspace & { createdBy: string | null }): Promise<void> {
      await run(
        handle,
        `insert into workspaces (id, organization_id, name, slug, is_default, default_callback_url, created_by)
         values (:id, :organizationId, :name, :slug, :isDefault, :defaultCallbackUrl, :createdBy)`,
        workspace,
      );
    },
  };
}
