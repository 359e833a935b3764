import { createAccountStore } from '../../../db/accounts/account-store.ts';
import { createAuditStore } from '../../../db/accounts/audit-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import { createOrganizationStore } from '../../../db/accounts/organization-store.ts';
import { createWorkspaceMemberStore } from '../../../db/accounts/workspace-member-store.ts';
import { AppError, type ErrorCode } from '../../../domain/errors.ts';
import type { Actor } from '../../../domain/principal.ts';
import type { Workspace } from '../../../domain/accounts/workspace.ts';
import type { WorkspaceMember } from '../../../domain/accounts/workspace-member.ts';
import { findWorkspace, lockWorkspace } from './find-workspace.ts';
import type { Page } from './workspace-service.ts';

/**
 * Manages members of workspaces, who are members of the organization. All members of the organization belong to the
 * default workspace. A reference that names no workspace or user of the organization gets a 404. Each change leaves an
 * audit row.
 */
export function createMemberService({ knex }: { knex: Handle }) {
  return {
    /** Lists members, the oldest first. */
    async list(
      organizationId: string,
      reference: string,
      page: Page,
    ): Promise<{ members: WorkspaceMember[]; totalCount: number }> {
      const { id } = await findWorkspace(knex, organizationId, reference);
      return createWorkspaceMemberStore(knex).list(id, page);
    },
    /**
     * Adds all users or none. Returns their memberships, and how many of these are new or have another role than
     * before.
     */
    add: (
      actor: Actor,
      reference: string,
      userIds: readonly string[],
    ): Promise<{ members: WorkspaceMember[]; addedCount: number }> =>
      knex.transaction(async (transaction) => {
        const { id } = await lockWorkspace(transaction, actor.organizationId, reference);
        const known = await organizationMembersOf(transaction, actor, userIds);
        refuse('not_found', userIds, (userId) => !known.has(userId), 'is no member of the organization');
        const store = createWorkspaceMemberStore(transaction);
        const addedCount = (await isDefault(transaction, actor, id)) ? 0 : await store.add(id, userIds);
        if (addedCount > 0) await audit(transaction, actor, 'addWorkspaceMembers', id);
        return { members: await store.find(id, userIds), addedCount };
      }),
    /**
     * Removes all users or none, and returns how many were members. Throws 400 for creators of active keys of the
     * workspace, for members that the directory keeps, and for the default workspace.
     */
    remove: (actor: Actor, reference: string, userIds: readonly string[]): Promise<number> =>
      knex.transaction(async (transaction) => {
        const workspace = await lockWorkspace(transaction, actor.organizationId, reference);
        await requireRemovable(transaction, actor, workspace, userIds);
        const removedCount = await createWorkspaceMemberStore(transaction).remove(workspace.id, userIds);
        if (removedCount > 0) await audit(transaction, actor, 'removeWorkspaceMembers', workspace.id);
        return removedCount;
      }),
  };
}

async function requireRemovable(
  transaction: Handle,
  actor: Actor,
  { id }: Workspace,
  userIds: readonly string[],
): Promise<void> {
  const store = createWorkspaceMemberStore(transaction);
  const known = await organizationMembersOf(transaction, actor, userIds);
  refuse('not_found', userIds, (userId) => !known.has(userId), 'is no member of the organization');
  if (await isDefault(transaction, actor, id)) {
    const message = 'belongs to the default workspace as a member of the organization';
    refuse('invalid_request', userIds, () => true, message);
  }
  const kept = await store.keptByDirectory(id, userIds);
  const isKept = (userId: string): boolean => kept.has(userId);
  refuse(
    'invalid_request',
    userIds,
    isKept,
    'is kept in the workspace by the directory',
    'kept_by_directory',
  );
  const busy = await store.withActiveKeys(id, userIds);
  refuse(
    'invalid_request',
    userIds,
    (userId) => busy.has(userId),
    'made keys of the workspace that are active',
  );
}

async function isDefault(transaction: Handle, { organizationId }: Actor, id: string): Promise<boolean> {
  return (await createAccountStore(transaction).defaultWorkspace(organizationId))?.id === id;
}

async function organizationMembersOf(
  transaction: Handle,
  { organizationId }: Actor,
  userIds: readonly string[],
): Promise<Set<string>> {
  const members = await createOrganizationStore(transaction).holdMembers(organizationId, userIds);
  return new Set(members.map(({ userId }) => userId));
}

function refuse(
  code: ErrorCode,
  userIds: readonly string[],
  isWrong: (userId: string) => boolean,
  message: string,
  reason?: string,
): void {
  const issues = userIds.flatMap((userId, index) =>
    isWrong(userId) ? [{ path: `body.user_ids.${index}`, message }] : [],
  );
  if (issues.length > 0) throw new AppError(code, { issues, reason });
}

async function audit(transaction: Handle, actor: Actor, action: string, id: string): Promise<void> {
  await createAuditStore(transaction).insert(actor, { action, target: `workspaces/${id}` });
}

export type MemberService = ReturnType<typeof createMemberService>;
