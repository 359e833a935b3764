import type { Handle } from '../postgres/connection.ts';
import { lockName } from '../postgres/results.ts';

/**
 * Locks the directory of an organization until the commit. A transaction that changes people, groups, mappings or
 * members, including manual members, takes this lock before any row. Pushes, runs and operators wait for each other.
 */
export async function lockDirectory(transaction: Handle, organizationId: string): Promise<void> {
  await lockName(transaction, `members ${organizationId}`);
}
