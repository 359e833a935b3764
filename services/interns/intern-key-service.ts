/** Manages the API keys of an intern for callers who may see the intern. */
import { createInternStore } from '../../db/interns/intern-store.ts';
import { createManagedKeyStore } from '../../db/accounts/managed-key-store.ts';
import type { KeyDraft, KeyWithUsage } from '../../domain/accounts/api-key.ts';
import { AppError } from '../../domain/errors.ts';
import type { Intern } from '../../domain/interns/intern-record.ts';
import { actorOf, type Caller, isPersonal, type Principal } from '../../domain/principal.ts';
import type { OnceAnswer, OnceOptions } from '../answer-once.ts';
import { removeKey } from '../accounts/keys/change-key.ts';
import { type CreatedKey, createKey } from '../accounts/keys/create-key.ts';
import { createDirectoryQueue } from '../accounts/keys/directory-queue.ts';
import { createKeyUsage } from '../accounts/keys/key-usage.ts';
import { KEY_PAGE_SIZE, keyHashOf, type KeyPage, type KeyServiceDeps } from '../accounts/keys/key-service.ts';
import { idempotencyOfCreator } from './creator.ts';
import { refuseInternKey, visibleIntern } from './visible-intern.ts';

/**
 * Lists, creates and deletes the keys of an intern. The intern must be visible to the caller's key. An intern's key
 * gets a 403 for each operation. Each write leaves an audit row.
 */
export function createInternKeyService(deps: KeyServiceDeps) {
  const { knex, verifier } = deps;
  const interns = createInternStore(knex);
  const usage = createKeyUsage(deps);
  const inTurn = createDirectoryQueue();
  const managedIntern = async (principal: Principal, idText: string): Promise<Intern> => {
    const intern = await visibleIntern((id) => interns.find(principal.workspaceId, id), principal, idText);
    refuseInternKey(principal);
    return intern;
  };
  return {
    /** Lists keys, the newest first. */
    async list(
      principal: Principal,
      internId: string,
      { offset, ...filter }: KeyPage,
    ): Promise<KeyWithUsage[]> {
      const { id, organizationId, workspaceId } = await managedIntern(principal, internId);
      const place = { limit: KEY_PAGE_SIZE, offset };
      const keys = createManagedKeyStore(knex, id);
      return usage.of(await keys.list({ organizationId, workspaceId, ...filter }, place));
    },
    /**
     * Creates a key of the intern; see `createKey`. Throws 403 for a key with a limit or an expiry, because the new key
     * would have neither.
     */
    async create(
      caller: Caller,
      internId: string,
      draft: KeyDraft,
      { idempotency, respond }: OnceOptions<CreatedKey>,
    ): Promise<OnceAnswer> {
      const { principal } = caller;
      const { id, workspaceId } = await managedIntern(principal, internId);
      refuseLimitedKey(principal);
      const ofIntern = { ...draft, ...inheritedFacts(principal), workspaceId, internId: id };
      const options = { idempotency: idempotency && idempotencyOfCreator(principal, idempotency), respond };
      const work = () => createKey(deps, caller, ofIntern, options);
      return isPersonal(principal) ? inTurn(principal.organizationId, work) : work();
    },
    /** Deletes a key. Throws 404 for a hash of no key of the intern. */
    async remove(caller: Caller, internId: string, hash: string): Promise<void> {
      const { id } = await managedIntern(caller.principal, internId);
      await knex.transaction((transaction) => removeKey(transaction, actorOf(caller), keyHashOf(hash), id));
      verifier.forget(hash);
    },
  };
}

/**
 * Returns the facts that a new key inherits from the caller's key. So a person who leaves loses both keys, and a
 * regular key cannot create one with a higher rate limit or for another end user.
 */
function inheritedFacts({
  kind,
  identitySubject,
  externalUser,
  rateLimitRequests,
}: Principal): Pick<KeyDraft, 'identitySubject' | 'externalUser' | 'rateLimitRequests'> {
  return kind === 'management' ? { identitySubject } : { identitySubject, externalUser, rateLimitRequests };
}

/** Throws a 403 for a regular key with a limit or an expiry: the new key would have neither. */
function refuseLimitedKey({ kind, expiresAt, ceilings = [] }: Principal): void {
  const isLimited = expiresAt !== undefined || ceilings.some(({ payer }) => payer === 'key');
  if (kind !== 'management' && isLimited) throw new AppError('limited_key_refused');
}

export type InternKeyService = ReturnType<typeof createInternKeyService>;
