import { createAccountStore } from '../../../db/accounts/account-store.ts';
import type { Handle } from '../../../db/connection.ts';
import { createWorkspaceStore } from '../../../db/accounts/workspace-store.ts';
import { AppError, invalidRequest, type Issue } from '../../../domain/errors.ts';
import {
  parseWorkspaceReference,
  type Workspace,
  type WorkspaceReference,
} from '../../../domain/accounts/workspace.ts';

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

/** Returns the workspace whose resources a query asks for: the default one where it names none. 400 for a foreign one. */
export async function queriedWorkspaceId(
  handle: Handle,
  organizationId: string,
  asked: string | undefined,
): Promise<string> {
  if (asked === undefined) return defaultWorkspaceId(handle, organizationId);
  const workspace = await createAccountStore(handle).findWorkspace(asked);
  if (workspace?.organizationId !== organizationId) throw invalidRequest(foreignWorkspace('query'));
  return workspace.id;
}

/** Returns the issue of a `workspace_id` that names no workspace of the organization. */
export function foreignWorkspace(part: 'body' | 'query'): Issue {
  return { path: `${part}.workspace_id`, message: 'is no workspace of the organization' };
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
