/** Creates an intern for the caller, so that a repeated request never creates a second one. */
import { createHash } from 'node:crypto';
import { createAuditStore } from '../../db/accounts/audit-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { createInternStore } from '../../db/interns/intern-store.ts';
import { createWorkspaceStore } from '../../db/accounts/workspace-store.ts';
import { newUuid } from '../../domain/ids.ts';
import type { Intern, InternDraft } from '../../domain/interns/intern-record.ts';
import { actorOf, type Caller } from '../../domain/principal.ts';
import type { Encryption } from '../../platform/encryption.ts';
import { doOnce, type OnceAnswer, type OnceOptions } from '../answer-once.ts';
import { requireFound } from '../require-found.ts';
import { creatorOf, idempotencyOfCreator } from './creator.ts';
import { nameTaken } from './name-taken.ts';
import { holdLender, vaultIdOf } from './vault/writable-vault.ts';
import { requireOwnWorkspace, hideFromInternKey } from './visible-intern.ts';
import { newVault } from './vault/new-vault.ts';

export interface CreateInternDeps {
  knex: Handle;
  encryption: Pick<Encryption, 'seal'>;
}

export interface MadeIntern {
  intern: Intern;
  /** False when an equal request of the creator made the intern before. */
  isNew: boolean;
}

const OPERATION = 'createIntern';

/**
 * Registers an intern with a vault of its own: 201.
 *
 * A repeated request gets a 200. With an idempotency key, it gets the stored answer; without one, the current state of
 * the intern that the creator's equal request created. Throws 409 when the creator has another intern of that name in
 * the workspace. Throws 404 for a workspace other than the key's, and for a vault that cannot be borrowed.
 */
export async function createIntern(
  { knex, encryption }: CreateInternDeps,
  caller: Caller,
  draft: InternDraft,
  { idempotency, respond }: OnceOptions<MadeIntern>,
): Promise<OnceAnswer> {
  const { principal } = caller;
  hideFromInternKey(principal);
  requireOwnWorkspace('body', principal, draft.workspaceId);
  const { organizationId, workspaceId } = principal;
  const scope = { organizationId, workspaceId, operation: OPERATION };
  const make = async (transaction: Handle): Promise<MadeIntern> => {
    const made = await insert(transaction, caller, draft, newVault(encryption));
    if (!made.isNew && idempotency !== undefined) throw nameTaken();
    return made;
  };
  const claim = idempotency && idempotencyOfCreator(principal, idempotency);
  const answer = await doOnce({ knex, scope, make }, { idempotency: claim, respond });
  return answer.replayed ? { ...answer, status: 200 } : answer;
}

/** Stores the intern, or finds the intern that an equal request created. */
async function insert(
  transaction: Handle,
  caller: Caller,
  { name, description, instructions, attachedVaultId: requestedVault }: InternDraft,
  vault: { id: string; sealedKey: string },
): Promise<MadeIntern> {
  const { principal } = caller;
  const { organizationId, workspaceId } = principal;
  const attachedVaultId = requestedVault === null ? null : vaultIdOf(requestedVault);
  // The lock also makes interns visible in the order of their creation times, by which they are listed.
  requireFound(await createWorkspaceStore(transaction).lock(organizationId, { id: workspaceId }));
  const store = createInternStore(transaction);
  const made = {
    workspaceId,
    creator: creatorOf(principal),
    name,
    requestHash: hashOf([name, description, instructions, attachedVaultId]),
  };
  const id = newUuid();
  const isNew = await store.insert({
    ...made,
    id,
    organizationId,
    description,
    instructions,
    attachedVaultId,
    vault,
  });
  if (!isNew) {
    const intern = await store.findMade(made);
    if (intern === null) throw nameTaken();
    return { intern, isNew };
  }
  if (attachedVaultId !== null) await holdLender(transaction, workspaceId, attachedVaultId);
  const entry = { action: OPERATION, target: `interns/${id}` };
  await createAuditStore(transaction).insert(actorOf(caller), entry);
  const intern = await store.find(workspaceId, id);
  if (intern === null) throw new Error('the inserted intern is not there');
  return { intern, isNew };
}

function hashOf(request: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex');
}
