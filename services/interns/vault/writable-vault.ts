/** Locks the vaults of a workspace or an intern before a request changes their secrets, and lenders of vaults. */
import type { Handle } from '../../../db/postgres/connection.ts';
import { createInternStore } from '../../../db/interns/intern-store.ts';
import { createVaultStore, type SealedVault } from '../../../db/interns/vault-store.ts';
import type { Principal } from '../../../domain/principal.ts';
import type { Encryption } from '../../../platform/encryption.ts';
import { lockWorkspace } from '../../accounts/workspaces/find-workspace.ts';
import { requireFound } from '../../require-found.ts';
import { hideFromInternKey, visibleIntern } from '../visible-intern.ts';
import { newVault } from './new-vault.ts';
import { AppError } from '../../../domain/errors.ts';
import { UUID_PATTERN } from '../../../domain/ids.ts';

/** Vaults whose secrets form one list. The transaction locks them against other writers until the commit. */
export interface LockedVaults {
  ids: readonly string[];
  /** For the vaults of a workspace, the ids of organization and workspace with a slash between them. */
  place?: string;
  /** The start of the targets of audit entries. */
  path: string;
}

/** The vault that new secrets are written to. */
export interface WritableVault extends LockedVaults, SealedVault {
  /** The id of the organization's vault from before workspaces, if it is one of the locked vaults. */
  beforeWorkspacesId: string | null;
}

/** Locks the vault of an intern that the key sees. Throws 404 for other interns. */
export async function lockInternVault(
  transaction: Handle,
  principal: Principal,
  internId: string,
): Promise<WritableVault> {
  const { id } = await visibleIntern(createInternStore(transaction).findKnown, principal, internId);
  // The intern may be deleted during the wait for the lock.
  const vault = requireFound(await createVaultStore(transaction).lockOfIntern(id));
  return { ...vault, ids: [vault.id], beforeWorkspacesId: null, path: `vault/interns/${id}` };
}

/** Locks the existing vaults of the key's workspace. Throws 404 for an intern's key. */
export async function lockWorkspaceVaults(
  transaction: Handle,
  principal: Principal,
): Promise<LockedVaults & { own: WritableVault | null }> {
  hideFromInternKey(principal);
  const { own, beforeWorkspaces } = await createVaultStore(transaction).lockOfWorkspace(principal);
  const ids = [own, beforeWorkspaces].flatMap((vault) => vault?.id ?? []);
  const { organizationId, workspaceId } = principal;
  const locked = { ids, path: `workspaces/${workspaceId}/vault`, place: `${organizationId}/${workspaceId}` };
  const beforeWorkspacesId = beforeWorkspaces?.id ?? null;
  return { ...locked, own: own && { ...own, ...locked, beforeWorkspacesId } };
}

/** Locks the vault of the key's workspace, and creates it for the first secret. Throws 404 for an intern's key. */
export async function lockWorkspaceVault(
  transaction: Handle,
  principal: Principal,
  encryption: Pick<Encryption, 'seal'>,
): Promise<WritableVault> {
  const { own } = await lockWorkspaceVaults(transaction, principal);
  if (own !== null) return own;
  const { organizationId, workspaceId } = principal;
  await lockWorkspace(transaction, organizationId, workspaceId);
  await createVaultStore(transaction).insertOfWorkspace(principal, newVault(encryption));
  return requireFound((await lockWorkspaceVaults(transaction, principal)).own);
}

/** Returns the id of a vault that a request names. Throws the 404 of an unknown vault for text that is no id. */
export function vaultIdOf(text: string): string {
  if (!UUID_PATTERN.test(text)) throw unknownVault();
  return text.toLowerCase();
}

/** Locks the intern that owns the vault until the commit. Throws 404 unless the intern is in the workspace. */
export async function holdLender(transaction: Handle, workspaceId: string, vaultId: string): Promise<void> {
  const lender = await createInternStore(transaction).holdOwner(workspaceId, vaultId);
  if (lender === null) throw unknownVault();
}

function unknownVault(): AppError {
  const issue = { path: 'body.vault_id', message: 'is no vault of another intern in the workspace' };
  return new AppError('not_found', { issues: [issue] });
}
