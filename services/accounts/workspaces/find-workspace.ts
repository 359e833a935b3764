/** Finds the workspace that a request names or means, and refuses workspaces of other organizations. */
import { createAccountStore } from '../../../db/accounts/account-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import { createWorkspaceStore } from '../../../db/accounts/workspace-store.ts';
import { invalidRequest, type Issue } from '../../../domain/errors.ts';
import {
  parseWorkspaceReference,
  type Workspace,
  type WorkspaceReference,
} from '../../../domain/accounts/workspace.ts';
import { requireFound } from '../../require-found.ts';

/** Parses a reference to a workspace. Throws the 404 of an unknown workspace for malformed text. */
export function referenceOf(text: string): WorkspaceReference {
  return requireFound(parseWorkspaceReference(text));
}

export async function findWorkspace(
  handle: Handle,
  organizationId: string,
  reference: string,
): Promise<Workspace> {
  return requireFound(await createWorkspaceStore(handle).find(organizationId, referenceOf(reference)));
}

/** Returns the workspace for resources whose request names none. */
export async function defaultWorkspaceId(handle: Handle, organizationId: string): Promise<string> {
  const workspace = await createAccountStore(handle).defaultWorkspace(organizationId);
  if (workspace === null) throw new Error('the organization has no default workspace');
  return workspace.id;
}

/** Returns the workspace that a query names, or the default one. Throws 400 for a workspace of another organization. */
export async function queriedWorkspaceId(
  handle: Handle,
  organizationId: string,
  requestedId: string | undefined,
): Promise<string> {
  if (requestedId === undefined) return defaultWorkspaceId(handle, organizationId);
  const workspace = await createAccountStore(handle).findWorkspace(requestedId);
  if (workspace?.organizationId !== organizationId) throw invalidRequest(foreignWorkspace('query'));
  return workspace.id;
}

/** Returns the issue for a `workspace_id` that is no workspace of the organization. */
export function foreignWorkspace(part: 'body' | 'query'): Issue {
  return { path: `${part}.workspace_id`, message: 'is no workspace of the organization' };
}

/** Locks a workspace until the commit, so that nothing in it changes meanwhile. Throws 404 when it is unknown. */
export async function lockWorkspace(
  transaction: Handle,
  organizationId: string,
  reference: string,
): Promise<Workspace> {
  return requireFound(await createWorkspaceStore(transaction).lock(organizationId, referenceOf(reference)));
}
