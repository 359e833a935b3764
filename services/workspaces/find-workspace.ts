import { createAccountStore } from '../../db/account-store.ts';
import type { Handle } from '../../db/connection.ts';
import { createWorkspaceStore } from '../../db/workspace-store.ts';
import { AppError } from '../../domain/errors.ts';
import { parseWorkspaceReference, type Workspace, type WorkspaceReference } from '../../domain/workspace.ts';

/** What can be no name of a workspace is one that is not there. */
export function referenceOf(text: string): WorkspaceReference {
  return found(parseWorkspaceReference(text));
}

export async function findWorkspace(
  handle: Handle,
  organizationId: string,
  reference: string,
): Promise<Workspace> {
  return found(await createWorkspaceStore(handle).find(organizationId, referenceOf(reference)));
}

/** Returns the workspace that a resource belongs to whose request names none. */
export async function defaultWorkspaceId(handle: Handle, organizationId: string): Promise<string> {
  const workspace = await createAccountStore(handle).defaultWorkspace(organizationId);
  if (workspace === null) throw new Error('the organization has no default workspace');
  return workspace.id;
}

/** Until the commit nobody else changes what belongs to it. */
export async function lockWorkspace(
  transaction: Handle,
  organizationId: string,
  reference: string,
): Promise<Workspace> {
  return found(await createWorkspaceStore(transaction).lock(organizationId, referenceOf(reference)));
}

export function found<T>(thing: T | null): T {
  if (thing === null) throw new AppError('not_found');
  return thing;
}
