/** Inserts organizations, users and workspaces, and finds the first organization and its default workspace. */
import type { Workspace } from '../../domain/accounts/workspace.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

/** The facts that identify a workspace. `workspace-store.ts` has its settings. */
export interface KnownWorkspace extends Pick<
  Workspace,
  'id' | 'organizationId' | 'name' | 'slug' | 'defaultCallbackUrl'
> {
  isDefault: boolean;
}

interface WorkspaceRow {
  id: string;
  organization_id: string;
  name: string;
  slug: string;
  is_default: boolean;
  default_callback_url: string | null;
  deleted_at: Date | null;
}

/** Stores organizations, users and workspaces. */
export function createAccountStore(handle: Handle) {
  /** Returns the oldest organizations, oldest first. */
  const firstOrganizations = (limit: number): Promise<{ id: string }[]> =>
    uncheckedRowsOf(handle, 'select id from organizations order by created_at limit ?', [limit]);
  return {
    ...accountInserts(handle),

    /**
     * Returns whether the user is a member of the organization. Inside a transaction, the membership cannot be deleted
     * before the commit.
     */
    async isMember(organizationId: string, userId: string): Promise<boolean> {
      const row = await handle('organization_members')
        .where({ organization_id: organizationId, user_id: userId })
        .forKeyShare()
        .first('user_id');
      return row !== undefined;
    },

    async findWorkspace(id: string): Promise<KnownWorkspace | null> {
      const row = await handle<WorkspaceRow>('workspaces').where({ id, deleted_at: null }).first();
      return row === undefined ? null : toWorkspace(row);
    },

    async defaultWorkspace(organizationId: string): Promise<KnownWorkspace | null> {
      const row = await handle<WorkspaceRow>('workspaces')
        .where({ organization_id: organizationId, is_default: true })
        .first();
      return row === undefined ? null : toWorkspace(row);
    },

    async firstOrganization(): Promise<{ id: string } | null> {
      const [first] = await firstOrganizations(1);
      return first ?? null;
    },

    firstOrganizations,

    async hasOrganization(id: string): Promise<boolean> {
      return (await uncheckedRowsOf(handle, 'select from organizations where id = ?', [id])).length > 0;
    },

    /** Locks the organization until the commit. Hold the lock while checking credit and committing a reservation. */
    async lock(organizationId: string): Promise<void> {
      const rows = await uncheckedRowsOf<{ id: string }>(
        handle,
        'select id from organizations where id = ? for no key update',
        [organizationId],
      );
      if (rows.length === 0) throw new Error('a key without its organization');
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
      await handle('organizations').insert({
        id: organization.id,
        name: organization.name,
        credit_enforcement: organization.creditEnforcement,
        entitlements: organization.entitlements,
      });
    },

    async insertUser(user: { id: string; email: string }): Promise<void> {
      await handle('users').insert({ id: user.id, email: user.email });
    },

    async insertOrganizationMember(organizationId: string, userId: string, role: string): Promise<void> {
      await handle('organization_members').insert({
        organization_id: organizationId,
        user_id: userId,
        role,
      });
    },

    async insertWorkspace(workspace: KnownWorkspace & { createdBy: string | null }): Promise<void> {
      await handle('workspaces').insert({
        id: workspace.id,
        organization_id: workspace.organizationId,
        name: workspace.name,
        slug: workspace.slug,
        is_default: workspace.isDefault,
        default_callback_url: workspace.defaultCallbackUrl,
        created_by: workspace.createdBy,
      });
    },
  };
}

function toWorkspace(row: WorkspaceRow): KnownWorkspace {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    slug: row.slug,
    isDefault: row.is_default,
    defaultCallbackUrl: row.default_callback_url,
  };
}
