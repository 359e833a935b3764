import type { Handle } from '../connection.ts';

/**
 * Whoever changes the people, groups, mappings or members of an organization holds this until the commit, and takes it
 * before any row: pushes, runs and operators wait for one another. It is also held by who adds a member by hand.
 */
export async function lockDirectory(transaction: Handle, organizationId: string): Promise<void> {
  await transaction.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [
    `members ${organizationId}`,
  ]);
}
