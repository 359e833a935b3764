import { parseArgs } from 'node:util';
import { createApiKeyStore } from '../db/accounts/api-key-store.ts';
import { createAuditStore } from '../db/accounts/audit-store.ts';
import type { Handle } from '../db/postgres/connection.ts';
import {
  createDisabledKeyStore,
  type DisabledBy,
  type DisabledKey,
} from '../db/accounts/disabled-key-store.ts';
import { lockDirectory } from '../db/accounts/lock-directory.ts';
import { UUID_PATTERN } from '../domain/ids.ts';
import { AdminUsageError } from './arguments.ts';

/**
 * Runs `admin keys enable --left USER` and `--job JOB`: enables keys that the directory disabled, if their owners are
 * back in the keys' workspaces. Returns the text to print.
 */
export async function enableLeaverKeys(
  knex: Handle,
  organizationId: string,
  args: string[],
): Promise<string> {
  const by = parseChoice(args);
  const keys = await knex.transaction(async (transaction) => {
    await lockDirectory(transaction, organizationId);
    const found = await createDisabledKeyStore(transaction).lock(organizationId, by);
    for (const { hash } of found.filter(({ isOwnerBack }) => isOwnerBack)) {
      await createApiKeyStore(transaction).setDisabled(organizationId, hash, false);
      const entry = { action: 'updateKey', target: `keys/${hash}` };
      await createAuditStore(transaction).insert({ organizationId }, entry);
    }
    return found;
  });
  return describe(keys, by);
}

function parseChoice(args: string[]): DisabledBy {
  const { values } = parseArgs({ args, options: { left: { type: 'string' }, job: { type: 'string' } } });
  if ((values.left === undefined) === (values.job === undefined)) {
    throw new AdminUsageError('Give either --left USER or --job JOB');
  }
  if (values.left !== undefined) return { userId: values.left };
  if (!UUID_PATTERN.test(values.job!)) throw new AdminUsageError('--job must be the id of a sync job');
  return { jobId: values.job! };
}

function describe(keys: readonly DisabledKey[], by: DisabledBy): string {
  if (keys.length === 0) {
    const owner = 'userId' in by ? by.userId : `sync job ${by.jobId}`;
    return `No keys of ${owner} are disabled by the directory. See: npm run admin -- keys list`;
  }
  const enabled = keys.filter(({ isOwnerBack }) => isOwnerBack);
  const others = keys.filter(({ isOwnerBack }) => !isOwnerBack);
  const lines = [
    ...enabled.map(({ hash, name }) => `enabled        ${hash}  ${name}`),
    ...others.map(
      ({ hash, name, userId }) => `left disabled  ${hash}  ${name}  (${userId} is not back in its workspace)`,
    ),
  ];
  const next =
    others.length === 0
      ? 'Requests with these keys are answered within a second.'
      : 'Next: assign their owners again at the identity provider and repeat this, or enable single keys: npm run admin -- keys enable HASH';
  return `${lines.join('\n')}\n\nEnabled: ${enabled.length}. Left disabled: ${others.length}.\n${next}`;
}
