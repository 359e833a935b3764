import type { Handle } from '../postgres/connection.ts';
import { run } from '../postgres/statement.ts';

/**
 * Locks the directory of an organization until the commit. A transaction that changes people, groups, mappings or
 * members, including manual members, takes this lock before any row. Pushes, runs and operators wait for each other.
 */
export async function lockDirectory(transaction: Handle, organizationId: string): Promise<void> {
  const name = `members ${organizationId}`;
  await run(transaction, 'select pg_advisory_xact_lock(hashtextextended(:name, 0))', { name });
}
