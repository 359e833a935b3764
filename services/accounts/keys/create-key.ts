/** Creates an API key and returns its token once, or replays the answer of an identical request. */
import { createAccountStore } from '../../../db/accounts/account-store.ts';
import { createApiKeyStore } from '../../../db/accounts/api-key-store.ts';
import { createAuditStore } from '../../../db/accounts/audit-store.ts';
import { type Handle, isUniqueViolation } from '../../../db/postgres/connection.ts';
import { lockDirectory } from '../../../db/accounts/lock-directory.ts';
import { createInternStore } from '../../../db/interns/intern-store.ts';
import { createManagedKeyStore } from '../../../db/accounts/managed-key-store.ts';
import { createWorkspaceStore } from '../../../db/accounts/workspace-store.ts';
import type { KeyDraft, KeyWithUsage, ManagedKey } from '../../../domain/accounts/api-key.ts';
import { AppError, invalidRequest } from '../../../domain/errors.ts';
import { actorOf, type Caller, isPersonal, type Principal } from '../../../domain/principal.ts';
import type { UsageByPeriod } from '../../../domain/ledger/spending-limit.ts';
import type { Encryption } from '../../../platform/encryption.ts';
import { doOnce, type OnceOptions, type OnceAnswer } from '../../answer-once.ts';
import { customerToken, newToken, type NewToken } from '../identity/key-token.ts';
import { defaultWorkspaceId, foreignWorkspace } from '../workspaces/find-workspace.ts';
import { requireFound } from '../../require-found.ts';
import { keyTarget } from './change-key.ts';

export interface CreateKeyDeps {
  knex: Handle;
  encryption: Pick<Encryption, 'seal' | 'open'>;
}

export interface CreatedKey {
  key: KeyWithUsage;
  /** The token, which only this answer and its replay show; null when the customer brought it. */
  token: string | null;
}

const UNUSED: UsageByPeriod = {
  usage: 0n,
  usageDaily: 0n,
  usageWeekly: 0n,
  usageMonthly: 0n,
  byokUsage: 0n,
  byokUsageDaily: 0n,
  byokUsageWeekly: 0n,
  byokUsageMonthly: 0n,
};

/**
 * Creates a regular key in the draft's workspace, or in the default one, or a key of the draft's intern. Throws 404
 * when that intern is deleted. Throws 400 for a workspace or creator that the organization lacks, and for a time of
 * expiry in the past. Throws 409 for a token that belongs or belonged to a key.
 */
export async function createKey(
  { knex, encryption }: CreateKeyDeps,
  caller: Caller,
  draft: KeyDraft,
  once: OnceOptions<CreatedKey>,
): Promise<OnceAnswer> {
  const { organizationId } = caller.principal;
  const workspaceId = draft.workspaceId ?? (await defaultWorkspaceId(knex, organizationId));
  const scope = { organizationId, workspaceId, operation: operationOf(draft) };
  const check = () => requireFuture(draft.expiresAt);
  const make = (transaction: Handle) => insert(transaction, caller, { ...draft, workspaceId });
  return doOnce({ knex, encryption, scope, check, make }, once);
}

async function insert(
  transaction: Handle,
  caller: Caller,
  { customerToken: customersOwn, ...draft }: KeyDraft & { workspaceId: string },
): Promise<CreatedKey> {
  const { principal } = caller;
  const { organizationId } = principal;
  const { internId } = draft;
  if (internId !== undefined && isPersonal(principal)) await holdDirectory(transaction, principal);
  const workspaceId = await lockWorkspace(transaction, organizationId, draft.workspaceId);
  await requireMember(transaction, organizationId, draft.creatorUserId);
  if (draft.creatorUserId === undefined) await holdAuthor(transaction, principal);
  const creatorUserId = draft.creatorUserId ?? principal.creatorUserId;
  if (internId !== undefined) await holdIntern(transaction, workspaceId, internId);
  const { token, hash, label } =
    customersOwn === undefined ? newToken() : withoutToken(customerToken(customersOwn));
  const insertion = createApiKeyStore(transaction).insert({
    hash,
    label,
    name: draft.name,
    ...(internId === undefined ? { kind: 'regular' } : { kind: 'intern', internId }),
    organizationId,
    workspaceId,
    includeByokInLimit: draft.limit.includeByokInLimit,
    limitNanos: draft.limit.limitNanos ?? undefined,
    limitReset: draft.limit.limitReset ?? undefined,
    expiresAt: draft.expiresAt,
    creatorUserId,
    identitySubject: draft.identitySubject,
    externalUser: draft.externalUser,
    rateLimitRequests: draft.rateLimitRequests,
  });
  await insertion.catch(refuseTakenToken);
  const entry = { action: operationOf(draft), target: keyTarget(hash, internId) };
  await createAuditStore(transaction).insert(actorOf(caller), entry);
  const key = await createManagedKeyStore(transaction, internId).find(organizationId, hash);
  if (key === null) throw new Error('the inserted key is not there');
  return { key: unused(key), token };
}

/** Throws a 409 when the insertion failed because the token belongs or belonged to another key. */
function refuseTakenToken(error: unknown): never {
  if (!isUniqueViolation(error, 'api_keys_pkey')) throw error;
  const publicMessage = 'The key is already in use: choose another one';
  throw new AppError('conflict', { reason: 'api_key_taken', retryable: false, publicMessage, cause: error });
}

/** Returns the name of the operation, which is also the name of the change in the audit log. */
function operationOf({ internId }: Pick<KeyDraft, 'internId'>): string {
  return internId === undefined ? 'createKey' : 'createInternKey';
}

/** Locks the intern until the commit, so that its deletion finds the key. */
async function holdIntern(transaction: Handle, workspaceId: string, internId: string): Promise<void> {
  requireFound(await createInternStore(transaction).hold(workspaceId, internId));
}

function withoutToken({ hash, label }: NewToken): Omit<NewToken, 'token'> & { token: null } {
  return { hash, label, token: null };
}

function unused(key: ManagedKey): KeyWithUsage {
  return { ...key, ...UNUSED, limitRemainingNanos: key.limitNanos };
}

/** Locks the workspace against deletion until the commit. */
async function lockWorkspace(transaction: Handle, organizationId: string, id: string): Promise<string> {
  const workspace = await createWorkspaceStore(transaction).lock(organizationId, { id });
  if (workspace !== null) return workspace.id;
  throw invalidRequest(foreignWorkspace('body'));
}

async function requireMember(
  transaction: Handle,
  organizationId: string,
  userId: string | undefined,
): Promise<void> {
  if (userId === undefined) return;
  if (await createAccountStore(transaction).isMember(organizationId, userId)) return;
  throw invalidRequest({ path: 'body.creator_user_id', message: 'is no member of the organization' });
}

/**
 * Locks the membership of the owner of the caller's key until the commit. A member who leaves loses all keys that exist
 * then, so the new key must exist before. Throws 401 when the owner has left and the caller's key was disabled with it.
 */
async function holdAuthor(transaction: Handle, principal: Principal): Promise<void> {
  const { organizationId, creatorUserId } = principal;
  if (creatorUserId === undefined) return;
  if (await createAccountStore(transaction).isMember(organizationId, creatorUserId)) return;
  await requireEnabled(transaction, principal);
}

/**
 * Locks the directory until the commit, so that a leaving member also loses the new key. Throws 401 when the owner of
 * the caller's key has left and the key was disabled with it.
 */
async function holdDirectory(transaction: Handle, principal: Principal): Promise<void> {
  await lockDirectory(transaction, principal.organizationId);
  await requireEnabled(transaction, principal);
}

async function requireEnabled(transaction: Handle, { keyHash }: Principal): Promise<void> {
  const key = await createApiKeyStore(transaction).findByHash(keyHash);
  if (key === null || key.disabled) throw new AppError('invalid_credential');
}

/** The upper bound for times of expiry; later dates have more digits than clients read. */
const YEAR_10000_MS = Date.UTC(10_000, 0);

function requireFuture(expiresAt: Date | undefined): void {
  if (expiresAt === undefined) return;
  const atMs = expiresAt.getTime();
  const message = atMs <= Date.now() ? 'must be in the future' : 'must be before the year 10000';
  if (atMs <= Date.now() || atMs >= YEAR_10000_MS) throw invalidRequest({ path: 'body.expires_at', message });
}
