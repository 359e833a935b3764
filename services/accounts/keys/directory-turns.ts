import { createTurns } from '../../turns.ts';

/** The longest wait for a turn. A directory sync holds its lock while it applies 1,000 people. */
const TURN_WAIT_MS = 30_000;
const NEVER = new AbortController().signal;

/**
 * Runs work that locks the directory, one at a time for each organization. Otherwise requests that wait for a directory
 * sync could hold all connections of the process. Rejects with 408 after 30 seconds of waiting.
 */
export type DirectoryTurns = <Answer>(organizationId: string, work: () => Promise<Answer>) => Promise<Answer>;

export function createDirectoryTurns(): DirectoryTurns {
  const turns = createTurns({ atOnce: 1, waitMs: TURN_WAIT_MS });
  return (organizationId, work) => turns.take(organizationId, NEVER, work);
}
