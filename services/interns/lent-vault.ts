/** Finds and locks the intern whose vault another intern wants to borrow. */
import type { Handle } from '../../db/postgres/connection.ts';
import { createInternStore } from '../../db/interns/intern-store.ts';
import { AppError } from '../../domain/errors.ts';
import { UUID_PATTERN } from '../../domain/ids.ts';

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
