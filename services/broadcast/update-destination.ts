/** Changes the settings of an observability destination at the request of its owner. */
import { createAuditStore } from '../../db/accounts/audit-store.ts';
import type { DestinationColumns } from '../../db/broadcast/destination-rows.ts';
import { createDestinationStore } from '../../db/broadcast/destination-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import type { DestinationConfig } from '../../domain/broadcast/destination-config.ts';
import { invalidRequest, type Issue } from '../../domain/errors.ts';
import type { Actor } from '../../domain/principal.ts';
import type { Encryption } from '../../platform/encryption.ts';
import { requireFound } from '../require-found.ts';
import { completeConfig } from './destination-issues.ts';
import { openConfig, sealConfig } from './sealed-config.ts';
import { showDestination, type ShownDestination } from './shown-destination.ts';

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
