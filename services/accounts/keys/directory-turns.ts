import { createTurns } from '../../turns/turns.ts';

/** A directory sync holds its lock for as long as it applies 1,000 people. */
const TURN_WAIT_MS = 30_000;
const NEVER = new AbortController().signal;

/**
 * Does work that locks the directory when it is the organization's turn: requests that wait together for a directory sync
 * must not hold all connections of the process. Rejects with 408 when no turn came in time.
 */
export type DirectoryTurns = <Answer>(organizationId: string, work: () => Promise<Answer>) => Promise<Answer>;

export function createDirectoryTurns(): DirectoryTurns {
  const turns = createTurns({ atOnce: 1, waitMs: TURN_WAIT_MS });
  return (organizationId, work) => turns.take(organizationId, NEVER, work);
}
