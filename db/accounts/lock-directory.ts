import type { Handle } from '../postgres/connection.ts';

/**
 * Locks the directory of an organization until the commit. A transaction that changes people, groups, mappings or
 * members, including manual members, takes this lock before any row. Pushes, runs and operators wait for each other.
 */
export async function lockDirectory(transaction: Handle, organizationId: string): Promise<void> {
  await transaction.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [
    `members ${organizationId}`,
  ]);
}
