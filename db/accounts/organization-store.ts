/** Stores organizations with their settings, entitlements and members. */
import { newUserId } from '../../domain/ids.ts';
import type {
  Organization,
  OrganizationMember,
  OrganizationRole,
  OrganizationSettings,
} from '../../domain/accounts/organization.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
import { lockDirectory } from './lock-directory.ts';

interface MemberRow {
  id: string;
  email: string;
  first_name: string | null;
  last_name: string | null;
  role: OrganizationRole;
}

interface ListedOrganization {
  id: string;
  name: string;
  creditEnforcement: boolean;
  entitlements: string[];
  /** Null: the organization is enabled. */
  disabledAt: Date | null;
  createdAt: Date;
}

const MEMBERS = `
  select u.id, u.email, u.first_name, u.last_name, m.role
  from organization_members m join users u on u.id = m.user_id where m.organization_id = ?`;

/** Stores the members and settings of organizations. */
export function createOrganizationStore(handle: Handle) {
  return {
    ...organizationSettings(handle),
    ...memberReads(handle),
    ...memberChanges(handle),

    /**
     * Removes a member from the organization and its workspaces. The user's row stays, because other rows name it.
     * Returns false if the user is no member, `last_admin` for the only administrator, and `managed` for a person who
     * is active in the directory.
     */
    async removeMember(organizationId: string, userId: string): Promise<boolean | 'last_admin' | 'managed'> {
      await lockDirectory(handle, organizationId);
      if (await isLastAdmin(handle, organizationId, userId)) return 'last_admin';
      if ((await findPerson(handle, organizationId, userId))?.active === true) return 'managed';
      // Delete this row first: the statement waits for transactions that add the member to a workspace.
      const removed = await handle('organization_members')
        .where({ organization_id: organizationId, user_id: userId })
        .delete();
      for (const table of ['workspace_members', 'directory_memberships'])
        await handle(table)
          .where({ user_id: userId })
          .whereIn(
            'workspace_id',
            handle('workspaces').where({ organization_id: organizationId }).select('id'),
          )
          .delete();
      await handle('directory_left_memberships').where({ user_id: userId }).delete();
      await handle('directory_people').where({ user_id: userId }).update({ removal_held_at: null });
      return removed > 0;
    },
  };
}

/** Builds the methods for the settings and entitlements of an organization. */
function organizationSettings(handle: Handle) {
  return {
    async find(id: string): Promise<Organization | null> {
      const row = await handle('organizations')
        .where({ id })
        .first<{ is_filtered_model_catalog_enabled: boolean } | undefined>(
          'is_filtered_model_catalog_enabled',
        );
      if (row === undefined) return null;
      return { id, isFilteredModelCatalogEnabled: row.is_filtered_model_catalog_enabled };
    },

    /** Lists all organizations, oldest first. */
    async list(): Promise<ListedOrganization[]> {
      const rows = await handle('organizations').orderBy(['created_at', 'id']);
      return rows.map((row) => ({
        id: row.id,
        name: row.name,
        creditEnforcement: row.credit_enforcement,
        entitlements: row.entitlements,
        disabledAt: row.disabled_at,
        createdAt: row.created_at,
      }));
    },

    /** Disables or enables the organization. Returns false if it was so already. */
    async setDisabled(id: string, disabled: boolean): Promise<boolean> {
      const updated = await handle('organizations')
        .where({ id })
        .whereRaw(disabled ? 'disabled_at is null' : 'disabled_at is not null')
        .update({ disabled_at: disabled ? handle.fn.now() : null });
      return updated > 0;
    },

    async hasEntitlement(id: string, entitlement: string): Promise<boolean> {
      const rows = await uncheckedRowsOf(
        handle,
        'select from organizations where id = ? and ? = any(entitlements)',
        [id, entitlement],
      );
      return rows.length > 0;
    },

    /**
     * Returns the organization's entitlements and locks them until the commit; null if there is no such organization.
     */
    async lockEntitlements(id: string): Promise<string[] | null> {
      const row = await handle('organizations')
        .where({ id })
        .forNoKeyUpdate()
        .first<{ entitlements: string[] } | undefined>('entitlements');
      return row?.entitlements ?? null;
    },

    async setEntitlements(id: string, entitlements: readonly string[]): Promise<void> {
      await handle('organizations')
        .where({ id })
        .update({ entitlements: [...entitlements] });
    },

    async update(id: string, { isFilteredModelCatalogEnabled }: OrganizationSettings): Promise<void> {
      await handle('organizations')
        .where({ id })
        .update({ is_filtered_model_catalog_enabled: isFilteredModelCatalogEnabled });
    },
  };
}

/** Builds the methods that read members and their keys. */
function memberReads(handle: Handle) {
  return {
    /** Lists members, the oldest first, so that a new member does not move others to another page. */
    async listMembers(
      organizationId: string,
      { limit, offset }: { limit: number; offset: number },
    ): Promise<{ members: OrganizationMember[]; totalCount: number }> {
      const rows = await uncheckedRowsOf<MemberRow>(
        handle,
        `${MEMBERS} order by m.created_at, m.user_id limit ? offset ?`,
        [organizationId, limit, offset],
      );
      const [count] = await uncheckedRowsOf<{ n: string }>(
        handle,
        'select count(*) n from organization_members where organization_id = ?',
        [organizationId],
      );
      return { members: rows.map(toMember), totalCount: Number(count?.n ?? 0) };
    },

    /** Returns those of the users who are members. Their memberships and roles cannot change until the commit. */
    async holdMembers(organizationId: string, userIds: readonly string[]): Promise<OrganizationMember[]> {
      const rows = await uncheckedRowsOf<MemberRow>(
        handle,
        `${MEMBERS} and u.id = any(?) order by m.user_id for share of m`,
        [organizationId, [...userIds]],
      );
      return rows.map(toMember);
    },

    /** Locks the directory until the commit, and returns the member with the address; null if there is none. */
    async lockByEmail(organizationId: string, email: string): Promise<OrganizationMember | null> {
      await lockDirectory(handle, organizationId);
      const [row] = await uncheckedRowsOf<MemberRow>(handle, `${MEMBERS} and lower(u.email) = lower(?)`, [
        organizationId,
        email,
      ]);
      return row === undefined ? null : toMember(row);
    },

    /** Returns the directory's person linked to the user; null if there is none. */
    findPerson: (organizationId: string, userId: string) => findPerson(handle, organizationId, userId),

    /** Returns the hashes of the user's active keys. */
    async activeKeysOf(organizationId: string, userId: string): Promise<string[]> {
      const rows = await uncheckedRowsOf<{ hash: string }>(
        handle,
        `select hash from api_keys where organization_id = ? and creator_user_id = ? and deleted_at is null
           and not disabled and (expires_at is null or expires_at > now()) order by id`,
        [organizationId, userId],
      );
      return rows.map(({ hash }) => hash);
    },
  };
}

/** Builds the methods that add members and change their roles. */
function memberChanges(handle: Handle) {
  return {
    async addMember(
      organizationId: string,
      member: Omit<OrganizationMember, 'userId'>,
    ): Promise<OrganizationMember> {
      const userId = newUserId();
      await handle('users').insert({
        id: userId,
        email: member.email,
        first_name: member.firstName,
        last_name: member.lastName,
      });
      await handle.raw(
        `insert into organization_members (organization_id, user_id, role, created_at)
         values (?, ?, ?, clock_timestamp())`,
        [organizationId, userId, member.role],
      );
      return { userId, ...member };
    },

    /**
     * Changes the role in the organization and its workspaces. Returns false if the user is no member, `last_admin` for
     * the only administrator, who keeps the role.
     */
    async setRole(
      organizationId: string,
      userId: string,
      role: OrganizationRole,
    ): Promise<boolean | 'last_admin'> {
      await lockDirectory(handle, organizationId);
      if (role !== 'org:admin' && (await isLastAdmin(handle, organizationId, userId))) return 'last_admin';
      const updated = await handle('organization_members')
        .where({ organization_id: organizationId, user_id: userId })
        .update({ role });
      await handle('workspace_members')
        .where({ user_id: userId })
        .whereIn('workspace_id', handle('workspaces').where({ organization_id: organizationId }).select('id'))
        .update({ role: role === 'org:admin' ? 'admin' : 'member' });
      return updated > 0;
    },
  };
}

/**
 * Returns whether the user is the only administrator. The directory's lock keeps two administrators from leaving at
 * once.
 */
async function isLastAdmin(handle: Handle, organizationId: string, userId: string): Promise<boolean> {
  const admins = await uncheckedRowsOf<{ user_id: string }>(
    handle,
    `select user_id from organization_members where organization_id = ? and role = 'org:admin' limit 2`,
    [organizationId],
  );
  return admins.length === 1 && admins[0]?.user_id === userId;
}

interface Person {
  id: string;
  active: boolean;
}

async function findPerson(handle: Handle, organizationId: string, userId: string): Promise<Person | null> {
  const [person] = await uncheckedRowsOf<Person>(
    handle,
    'select id, active from directory_people where organization_id = ? and user_id = ? and deleted_at is null',
    [organizationId, userId],
  );
  return person ?? null;
}

function toMember(row: MemberRow): OrganizationMember {
  return {
    userId: row.id,
    email: row.email,
    firstName: row.first_name,
    lastName: row.last_name,
    role: row.role,
  };
}
