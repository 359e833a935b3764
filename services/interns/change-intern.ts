/** Changes and deletes interns, and attaches and detaches the vaults that they borrow. */
import { createApiKeyStore } from '../../db/accounts/api-key-store.ts';
import { createAuditStore } from '../../db/accounts/audit-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import type { InternUpdate } from '../../db/interns/intern-rows.ts';
import { createInternStore } from '../../db/interns/intern-store.ts';
import { invalidRequest } from '../../domain/errors.ts';
import type { Intern } from '../../domain/interns/intern-record.ts';
import { actorOf, type Caller, type Principal } from '../../domain/principal.ts';
import { holdLender, vaultIdOf } from './vault/writable-vault.ts';
import { nameTaken } from './name-taken.ts';
import { visibleIntern } from './visible-intern.ts';

/** The name of a write in the audit log, with the check of which keys may make it. */
export interface InternWrite {
  /** The id of the operation. */
  action: string;
  /** The part of the path after the intern. */
  below?: string;
  /** Throws when the key may see the intern but not make the write. */
  admit(principal: Principal): void;
}

/** Changes an intern that the key may see and change. Throws 409 when the creator has another intern of that name. */
export async function changeIntern(
  transaction: Handle,
  caller: Caller,
  id: string,
  changes: InternUpdate,
  write: InternWrite,
): Promise<Intern> {
  return update(transaction, caller, await lockIntern(transaction, caller, id, write), changes, write);
}

/**
 * Lets an intern borrow the vault of another one in the workspace. Throws 400 for its own vault, and 404 for an
 * unknown one.
 */
export async function attachVault(
  transaction: Handle,
  caller: Caller,
  id: string,
  vaultText: string,
  write: InternWrite,
): Promise<Intern> {
  const intern = await lockIntern(transaction, caller, id, write);
  const attachedVaultId = vaultIdOf(vaultText);
  if (attachedVaultId === intern.vaultId) {
    throw invalidRequest({ path: 'body.vault_id', message: 'is the vault of the intern itself' });
  }
  await holdLender(transaction, intern.workspaceId, attachedVaultId);
  return update(transaction, caller, intern, { attachedVaultId }, write);
}

/** Ends the borrowing of a vault. Changes nothing when the intern borrows none. */
export async function detachVault(
  transaction: Handle,
  caller: Caller,
  id: string,
  write: InternWrite,
): Promise<Intern> {
  const intern = await lockIntern(transaction, caller, id, write);
  if (intern.attachedVaultId === null) return intern;
  return update(transaction, caller, intern, { attachedVaultId: null }, write);
}

/**
 * Deletes an intern with its keys, its vault and the secrets in it. Returns its id with the hashes of the keys, which
 * are refused from then on.
 */
export async function removeIntern(
  transaction: Handle,
  caller: Caller,
  id: string,
  write: InternWrite,
): Promise<{ id: string; keyHashes: string[] }> {
  // This lock also blocks new keys, which the deletion would not find.
  const intern = await lockIntern(transaction, caller, id, write, 'lockForRemoval');
  const keyHashes = await createApiKeyStore(transaction).removeAllOfIntern(intern.id);
  await createInternStore(transaction).remove(intern.id);
  await createAuditStore(transaction).insert(
    actorOf(caller),
    ...keyHashes.map((hash) => ({ action: 'deleteInternKey', target: `interns/${intern.id}/keys/${hash}` })),
    { action: write.action, target: `interns/${intern.id}` },
  );
  return { id: intern.id, keyHashes };
}

async function lockIntern(
  transaction: Handle,
  { principal }: Caller,
  id: string,
  { admit }: InternWrite,
  lock: 'lock' | 'lockForRemoval' = 'lock',
): Promise<Intern> {
  const store = createInternStore(transaction);
  const intern = await visibleIntern((known) => store[lock](principal.workspaceId, known), principal, id);
  admit(principal);
  return intern;
}

async function update(
  transaction: Handle,
  caller: Caller,
  intern: Intern,
  changes: InternUpdate,
  { action, below = '' }: InternWrite,
): Promise<Intern> {
  const updated = await createInternStore(transaction).update(intern, changes);
  if (updated === 'name_taken') throw nameTaken();
  const entry = { action, target: `interns/${intern.id}${below}` };
  await createAuditStore(transaction).insert(actorOf(caller), entry);
  return updated;
}
