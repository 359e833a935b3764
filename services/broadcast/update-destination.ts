/** Changes and deletes observability destinations, and requests that dead letters are sent again. */
import { createAuditStore } from '../../db/accounts/audit-store.ts';
import type { DestinationColumns } from '../../db/broadcast/destination-rows.ts';
import { createDestinationStore } from '../../db/broadcast/destination-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import type { DestinationConfig } from '../../domain/broadcast/destination-config.ts';
import { invalidRequest, type Issue, AppError } from '../../domain/errors.ts';
import type { Actor } from '../../domain/principal.ts';
import type { Encryption } from '../../platform/encryption.ts';
import { requireFound } from '../require-found.ts';
import { completeConfig } from './destination-issues.ts';
import { openConfig, sealConfig } from './sealed-config.ts';
import { showDestination, type ShownDestination } from './shown-destination.ts';
import { createHeadStore } from '../../db/broadcast/head-store.ts';
import { createWorkspaceStore } from '../../db/accounts/workspace-store.ts';
import { createDeadLetterStore, type DeadLetterSelection } from '../../db/broadcast/dead-letter-store.ts';

/**
 * Changes to a destination; absent fields stay unchanged. The configuration is complete, and may contain masks of the
 * stored secrets.
 */
export type DestinationChanges = Omit<DestinationColumns, 'configSealed' | 'configShown'> & {
  config?: DestinationConfig;
};

export interface UpdateDestinationDeps {
  encryption: Pick<Encryption, 'seal' | 'open'>;
  /** Throws for a URL that will certainly be refused when it is called. */
  checkUrl(url: string): void;
}

/**
 * Changes a destination, which continues at the same place in its log. Enabling a destination that was disabled after a
 * day of failures restarts its delivery. Throws a 400 that lists all broken rules, including `callerIssues`, which the
 * caller found.
 */
export async function updateDestination(
  { encryption, checkUrl }: UpdateDestinationDeps,
  transaction: Handle,
  actor: Actor,
  id: string,
  { config: next, ...changes }: DestinationChanges,
  callerIssues: readonly Issue[],
): Promise<ShownDestination> {
  const store = createDestinationStore(transaction);
  const stored = requireFound(await store.lock(actor.organizationId, id));
  const issues = [...callerIssues];
  const columns: DestinationColumns = { ...changes };
  if (next !== undefined) {
    const { type, config } = openConfig(encryption, stored);
    const before = { config: { ...config }, shown: stored.configShown };
    const complete = completeConfig(checkUrl, before, { ...next.config });
    issues.unshift(...complete.issues);
    Object.assign(columns, sealConfig(encryption, stored.id, { type, config: complete.config }));
  }
  if (issues.length > 0) throw invalidRequest(...issues);
  const updated = await store.update(stored.id, columns);
  if (changes.enabled === true) await store.restart(stored.id);
  else if (next !== undefined) await store.forgetFailures(stored.id);
  const target = `observability/destinations/${stored.id}`;
  await createAuditStore(transaction).insert(actor, { action: 'updateObservabilityDestination', target });
  return requireFound(await showDestination(transaction, updated));
}

const DELETION = 'deleteObservabilityDestination';

/** Deletes a destination. Logging of the workspace ends with its last destination. Returns the workspace's id. */
export async function removeDestination(transaction: Handle, actor: Actor, id: string): Promise<string> {
  const store = createDestinationStore(transaction);
  const { organizationId } = actor;
  const { workspaceId } = requireFound(await store.find(organizationId, id));
  // Lock the workspace before the destination, like every transaction that locks both.
  requireFound(await createWorkspaceStore(transaction).lock(organizationId, { id: workspaceId }));
  const destination = requireFound(await store.lock(organizationId, id));
  await store.delete(destination.id);
  await auditRemovals(transaction, actor, [destination.id]);
  await createHeadStore(transaction).refreshLogging(workspaceId);
  return workspaceId;
}

/**
 * Deletes the destinations of a workspace that is being deleted and whose row the caller has locked. Returns their
 * ids.
 */
export async function removeDestinationsOf(
  transaction: Handle,
  actor: Actor,
  workspaceId: string,
): Promise<string[]> {
  const ids = await createDestinationStore(transaction).deleteAllOf(workspaceId);
  await auditRemovals(transaction, actor, ids);
  await createHeadStore(transaction).refreshLogging(workspaceId);
  return ids;
}

async function auditRemovals(transaction: Handle, actor: Actor, ids: readonly string[]): Promise<void> {
  const entries = ids.map((id) => ({ action: DELETION, target: `observability/destinations/${id}` }));
  await createAuditStore(transaction).insert(actor, ...entries);
}

/**
 * Requests that all or some dead letters of a destination are sent again. Returns how many. Throws 409 for a disabled
 * destination, because nothing would be sent.
 */
export async function replayDeadLetters(
  transaction: Handle,
  actor: Actor,
  id: string,
  selection: DeadLetterSelection,
): Promise<number> {
  // The lock keeps the destination enabled until the commit.
  const destination = requireFound(await createDestinationStore(transaction).lock(actor.organizationId, id));
  if (!destination.enabled) throw disabled();
  const count = await createDeadLetterStore(transaction).requestReplay(destination.id, selection);
  const target = `observability/destinations/${destination.id}`;
  await createAuditStore(transaction).insert(actor, { action: 'replayObservabilityDeadLetters', target });
  return count;
}

function disabled(): AppError {
  return new AppError('conflict', {
    publicMessage: 'The destination is disabled. Enable it first, then send its dead letters again.',
    reason: 'destination_disabled',
    retryable: false,
  });
}
