/** Stores organizations with their settings, entitlements and members. */
import { newUserId } from '../../domain/ids.ts';
import {
  type Organization,
  ORGANIZATION_ROLES,
  type OrganizationMember,
  type OrganizationRole,
  type OrganizationSettings,
} from '../../domain/accounts/organization.ts';
import type { Handle } from '../postgres/connection.ts';
import { anyRows, countRows, firstRow, onlyColumn } from '../postgres/results.ts';
import { bool, oneOf, selectList, text, texts, timestamptz, uuid } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';
import { lockDirectory } from './lock-directory.ts';

const MEMBER = {
  userId: text,
  email: text,
  firstName: text.orNull,
  lastName: text.orNull,
  role: oneOf(ORGANIZATION_ROLES),
};

const LISTED_ORGANIZATION = {
  id: uuid,
  name: text,
  creditEnforcement: bool,
  entitlements: texts,
  /** Null: the organization is enabled. */
  disabledAt: timestamptz.orNull,
  createdAt: timestamptz,
};

const PERSON = { id: uuid, active: bool };

const MEMBERS = `
  select ${selectList(MEMBER, 'u', { userId: 'u.id', role: 'm.role' })}
  from organization_members m join users u on u.id = m.user_id where m.organization_id = :organizationId`;

/** SQL: the rows of a user in the workspaces of an organization. */
const OF_USER = `user_id = :userId
  and workspace_id in (select id from workspaces where organization_id = :organizationId)`;

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
      const removed = await run(
        handle,
        'delete from organization_members where organization_id = :organizationId and user_id = :userId',
        { organizationId, userId },
      );
      for (const table of ['workspace_members', 'directory_memberships'])
        await run(handle, `delete from ${table} where ${OF_USER}`, { organizationId, userId });
      await run(handle, 'delete from directory_left_memberships where user_id = :userId', { userId });
      await run(handle, 'update directory_people set removal_held_at = null where user_id = :userId', {
        userId,
      });
      return removed > 0;
    },
  };
}

/** Builds the methods for the settings and entitlements of an organization. */
function organizationSettings(handle: Handle) {
  return {
    async find(id: string): Promise<Organization | null> {
      const [settings] = await rowsOf(
        handle,
        { isFilteredModelCatalogEnabled: bool },
        `select is_filtered_model_catalog_enabled "isFilteredModelCatalogEnabled" from organizations where id = :id`,
        { id },
      );
      return settings === undefined ? null : { id, ...settings };
    },

    /** Lists all organizations, oldest first. */
    list: () =>
      rowsOf(
        handle,
        LISTED_ORGANIZATION,
        `select ${selectList(LISTED_ORGANIZATION)} from organizations order by created_at, id`,
      ),

    /** Disables or enables the organization. Returns false if it was so already. */
    setDisabled: (id: string, disabled: boolean): Promise<boolean> =>
      anyRows(
        handle,
        `update organizations set disabled_at = case when :disabled then now() end
         where id = :id and (disabled_at is not null) <> :disabled`,
        { id, disabled },
      ),

    async hasEntitlement(id: string, entitlement: string): Promise<boolean> {
      const statement = 'select from organizations where id = :id and :entitlement = any(entitlements)';
      return anyRows(handle, statement, { id, entitlement });
    },

    /**
     * Returns the organization's entitlements and locks them until the commit; null if there is no such organization.
     */
    async lockEntitlements(id: string): Promise<string[] | null> {
      const statement = 'select entitlements from organizations where id = :id for no key update';
      const [organization] = await rowsOf(handle, { entitlements: texts }, statement, { id });
      return organization?.entitlements ?? null;
    },

    async setEntitlements(id: string, entitlements: readonly string[]): Promise<void> {
      const statement = 'update organizations set entitlements = :entitlements where id = :id';
      await run(handle, statement, { id, entitlements });
    },

    async update(id: string, settings: OrganizationSettings): Promise<void> {
      const columns = 'is_filtered_model_catalog_enabled = :isFilteredModelCatalogEnabled';
      await run(handle, `update organizations set ${columns} where id = :id`, { ...settings, id });
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
      const members = await rowsOf(
        handle,
        MEMBER,
        `${MEMBERS} order by m.created_at, m.user_id limit :limit offset :offset`,
        { organizationId, limit, offset },
      );
      const all = 'from organization_members where organization_id = :organizationId';
      return { members, totalCount: await countRows(handle, all, { organizationId }) };
    },

    /** Returns those of the users who are members. Their memberships and roles cannot change until the commit. */
    async holdMembers(organizationId: string, userIds: readonly string[]): Promise<OrganizationMember[]> {
      const statement = `${MEMBERS} and u.id = any(:userIds) order by m.user_id for share of m`;
      return rowsOf(handle, MEMBER, statement, { organizationId, userIds });
    },

    /** Locks the directory until the commit, and returns the member with the address; null if there is none. */
    async lockByEmail(organizationId: string, email: string): Promise<OrganizationMember | null> {
      await lockDirectory(handle, organizationId);
      const statement = `${MEMBERS} and lower(u.email) = lower(:email)`;
      return firstRow(handle, MEMBER, statement, { organizationId, email });
    },

    /** Returns the directory's person linked to the user; null if there is none. */
    findPerson: (organizationId: string, userId: string) => findPerson(handle, organizationId, userId),

    /** Returns the hashes of the user's active keys. */
    activeKeysOf: (organizationId: string, userId: string): Promise<string[]> =>
      onlyColumn(
        handle,
        { hash: text },
        `select hash from api_keys where organization_id = :organizationId and creator_user_id = :userId
           and deleted_at is null and not disabled and (expires_at is null or expires_at > now()) order by id`,
        { organizationId, userId },
      ),
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
      await run(
        handle,
        `insert into users (id, email, first_name, last_name) values (:userId, :email, :firstName, :lastName)`,
        { ...member, userId },
      );
      await run(
        handle,
        `insert into organization_members (organization_id, user_id, role, created_at)
         values (:organizationId, :userId, :role, clock_timestamp())`,
        { organizationId, userId, role: member.role },
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
      const updated = await run(
        handle,
        `update organization_members set role = :role
         where organization_id = :organizationId and user_id = :userId`,
        { organizationId, userId, role },
      );
      await run(handle, `update workspace_members set role = :workspaceRole where ${OF_USER}`, {
        organizationId,
        userId,
        workspaceRole: role === 'org:admin' ? 'admin' : 'member',
      });
      return updated > 0;
    },
  };
}

/**
 * Returns whether the user is the only administrator. The directory's lock keeps two administrators from leaving at
 * once.
 */
async function isLastAdmin(handle: Handle, organizationId: string, userId: string): Promise<boolean> {
  const admins = await rowsOf(
    handle,
    { userId: text },
    `select user_id "userId" from organization_members
     where organization_id = :organizationId and role = 'org:admin' limit 2`,
    { organizationId },
  );
  return admins.length === 1 && admins[0]?.userId === userId;
}

async function findPerson(handle: Handle, organizationId: string, userId: string) {
  return firstRow(
    handle,
    PERSON,
    `select id, active from directory_people
     where organization_id = :organizationId and user_id = :userId and deleted_at is null`,
    { organizationId, userId },
  );
}
