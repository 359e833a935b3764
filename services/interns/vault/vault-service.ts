/** Lists, stores, copies and deletes the secrets of workspaces and interns. */
import { createAuditStore } from '../../../db/accounts/audit-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import { createInternStore } from '../../../db/interns/intern-store.ts';
import { createVaultSecretStore } from '../../../db/interns/vault-secret-store.ts';
import { AppError } from '../../../domain/errors.ts';
import type { SecretMetadata } from '../../../domain/interns/vault.ts';
import { actorOf, type Caller, type Principal } from '../../../domain/principal.ts';
import { visibleIntern } from '../visible-intern.ts';
import { copySecrets } from './copy-secrets.ts';
import { createSecretLists } from './list-secrets.ts';
import { putSecret, type PutSecretDeps, requireRoom, type SecretDraft } from './put-secret.ts';
import {
  lockInternVault,
  lockWorkspaceVault,
  lockWorkspaceVaults,
  type LockedVaults,
  type WritableVault,
} from './writable-vault.ts';

export interface VaultServiceDeps extends PutSecretDeps {
  knex: Handle;
  /**
   * Makes this process read a vault again. The notice is the id of the vault. A blank and the workspace's place follow
   * for a workspace's vault, which may be new to this process.
   */
  forgetVault(notice: string): void;
}

/**
 * Manages the secrets of a key's workspace and of its interns, without ever returning values. Interns that the key does
 * not see get a 404, and so do requests of an intern's key for the workspace's secrets. Each write leaves audit rows. A
 * change applies in this process before the answer and in the others within a second, when the notice arrives.
 */
export function createVaultService(deps: VaultServiceDeps) {
  const { knex, encryption } = deps;
  const write = createWriter(deps);
  const putIn = async (transaction: Handle, vault: WritableVault, draft: SecretDraft) => {
    await requireRoom(transaction, vault, [draft.name], 'params.name');
    return putSecret(deps, transaction, vault, draft);
  };
  return {
    ...createSecretLists(knex),
    /** Stores or replaces a secret. Throws 409 `vault_full` for a new name when the vault is full. */
    putInWorkspace: (caller: Caller, draft: SecretDraft): Promise<SecretMetadata> =>
      write(caller, 'storeVaultSecret', async (transaction) => {
        const vault = await lockWorkspaceVault(transaction, caller.principal, encryption);
        return { vaults: vault, names: [draft.name], result: await putIn(transaction, vault, draft) };
      }),
    deleteFromWorkspace: (caller: Caller, name: string): Promise<void> =>
      write(caller, 'deleteVaultSecret', async (transaction) => {
        const vaults = await lockWorkspaceVaults(transaction, caller.principal);
        await deleteSecret(transaction, vaults, name);
        return { vaults, names: [name], result: undefined };
      }),
    /** Stores or replaces a secret. Throws 409 `vault_full` for a new name when the vault is full. */
    putInIntern: (caller: Caller, internId: string, draft: SecretDraft): Promise<SecretMetadata> =>
      write(caller, 'storeInternVaultSecret', async (transaction) => {
        const vault = await lockInternVault(transaction, caller.principal, internId);
        return { vaults: vault, names: [draft.name], result: await putIn(transaction, vault, draft) };
      }),
    deleteFromIntern: (caller: Caller, internId: string, name: string): Promise<void> =>
      write(caller, 'deleteInternVaultSecret', async (transaction) => {
        const vaults = await lockInternVault(transaction, caller.principal, internId);
        await deleteSecret(transaction, vaults, name);
        return { vaults, names: [name], result: undefined };
      }),
    /** Copies secrets of the workspace to an intern; see `copySecrets`. */
    copyToIntern: (caller: Caller, internId: string, names: readonly string[]): Promise<SecretMetadata[]> =>
      write(caller, 'copyVaultSecretsToIntern', async (transaction) => {
        const { principal } = caller;
        const vault = await lockInternVault(transaction, principal, internId);
        const result = await copySecrets(deps, transaction, { principal, vault }, names);
        return { vaults: vault, names, result };
      }),
    /**
     * Returns an empty list, because interns have no connections yet. Throws 404 for an intern that the key does not
     * see.
     */
    async connections(principal: Principal, internId: string): Promise<{ key: string }[]> {
      await visibleIntern(createInternStore(knex).findKnown, principal, internId);
      return [];
    },
  };
}

/** The result of a write, with the facts that its audit entries need. */
interface Change<Result> {
  vaults: LockedVaults;
  /** The names of the secrets that were written. */
  names: readonly string[];
  result: Result;
}

/** Returns a function that runs writes, each in one transaction with its audit entries. */
function createWriter({ knex, forgetVault }: Pick<VaultServiceDeps, 'knex' | 'forgetVault'>) {
  return async <Result>(
    caller: Caller,
    action: string,
    work: (transaction: Handle) => Promise<Change<Result>>,
  ): Promise<Result> => {
    const { vaults, result } = await knex.transaction(async (transaction) => {
      const change = await work(transaction);
      const entries = change.names.map((name) => ({
        action,
        target: `${change.vaults.path}/secrets/${name}`,
      }));
      await createAuditStore(transaction).insert(actorOf(caller), ...entries);
      return change;
    });
    const { ids, place } = vaults;
    for (const id of ids) forgetVault(place === undefined ? id : `${id} ${place}`);
    return result;
  };
}

async function deleteSecret(transaction: Handle, { ids }: LockedVaults, name: string): Promise<void> {
  const isDeleted = await createVaultSecretStore(transaction).delete(ids, name);
  if (!isDeleted) throw new AppError('not_found');
}

export type VaultService = ReturnType<typeof createVaultService>;
