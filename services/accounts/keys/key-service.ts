/** Lists, shows, creates, changes and deletes the regular API keys of an organization. */
import { createManagedKeyStore, type KeyFilter } from '../../../db/accounts/managed-key-store.ts';
import {
  KEY_HASH_PATTERN,
  type KeyChanges,
  type KeyDraft,
  type KeyWithUsage,
} from '../../../domain/accounts/api-key.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Actor, Caller } from '../../../domain/principal.ts';
import type { OnceAnswer, OnceOptions } from '../../answer-once.ts';
import type { KeyVerifier } from '../identity/key-verifier.ts';
import { queriedWorkspaceId } from '../workspaces/find-workspace.ts';
import { createKey, type CreatedKey, type CreateKeyDeps } from './create-key.ts';
import { locksDirectory, removeKey, updateKey } from './change-key.ts';
import { createDirectoryQueue } from './directory-queue.ts';
import { createKeyUsage, type KeyUsageDeps } from './key-usage.ts';

export interface KeyServiceDeps extends CreateKeyDeps, KeyUsageDeps {
  verifier: Pick<KeyVerifier, 'forget'>;
}

/** The keys of a page: which ones, and how many before them to skip. */
export interface KeyPage extends Pick<KeyFilter, 'includeDisabled' | 'includeExpired' | 'beforeId'> {
  offset: number;
}

interface WorkspaceKeyPage extends KeyPage {
  /**
   * The workspace; the organization's default one when absent, and every one for `all`. A workspace of another
   * organization gets a 400.
   */
  workspaceId?: string | undefined;
}

/** The number of keys on a page; clients of this API shape cannot choose another. */
export const KEY_PAGE_SIZE = 100;

/**
 * Manages the regular keys of an organization. All other hashes get the same 404: unknown, foreign, deleted, of another
 * kind, or malformed. Each write leaves an audit row. A change applies in this process at once and in the others within
 * a second, when the notice arrives.
 */
export function createKeyService(deps: KeyServiceDeps) {
  const { knex, verifier } = deps;
  const keys = createManagedKeyStore(knex);
  const usage = createKeyUsage(deps);
  const runInQueue = createDirectoryQueue();
  return {
    async list(
      organizationId: string,
      { workspaceId: requestedId, offset, ...filter }: WorkspaceKeyPage,
    ): Promise<KeyWithUsage[]> {
      const workspaceId =
        requestedId === 'all' ? undefined : await queriedWorkspaceId(knex, organizationId, requestedId);
      const place = { limit: KEY_PAGE_SIZE, offset };
      return usage.of(await keys.list({ organizationId, workspaceId, ...filter }, place));
    },
    async get(organizationId: string, hash: string): Promise<KeyWithUsage> {
      const key = await keys.find(organizationId, keyHashOf(hash));
      if (key === null) throw new AppError('not_found');
      return usage.ofOne(key);
    },
    /** Creates a key; see `createKey`. */
    create: (caller: Caller, draft: KeyDraft, once: OnceOptions<CreatedKey>): Promise<OnceAnswer> =>
      createKey(deps, caller, draft, once),
    /** Changes a key; see `updateKey`. */
    async update(actor: Actor, hash: string, changes: KeyChanges): Promise<KeyWithUsage> {
      const work = () =>
        knex.transaction((transaction) => updateKey(transaction, actor, keyHashOf(hash), changes));
      const key = await (locksDirectory(changes) ? runInQueue(actor.organizationId, work) : work());
      verifier.forget(key.hash);
      return usage.ofOne(key);
    },
    /** Deletes a key. Its usage stays counted. */
    async remove(actor: Actor, hash: string): Promise<void> {
      await knex.transaction((transaction) => removeKey(transaction, actor, keyHashOf(hash)));
      verifier.forget(hash);
    },
  };
}

/** Returns the text if it can be a hash; throws the 404 of an unknown key otherwise. */
export function keyHashOf(text: string): string {
  if (!KEY_HASH_PATTERN.test(text)) throw new AppError('not_found');
  return text;
}

export type KeyService = ReturnType<typeof createKeyService>;
