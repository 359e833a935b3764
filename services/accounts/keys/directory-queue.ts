/** Limits each organization to one request at a time that locks its directory to change keys. */
import { createConcurrencyLimit } from '../../concurrency-limit.ts';

/** The longest wait for the work to begin. A directory sync holds its lock while it applies 1,000 people. */
const TURN_WAIT_MS = 30_000;
const NEVER = new AbortController().signal;

/**
 * Runs work that locks the directory, one at a time for each organization. Otherwise requests that wait for a directory
 * sync could hold all connections of the process. Rejects with 408 after 30 seconds of waiting.
 */
export type DirectoryQueue = <Answer>(organizationId: string, work: () => Promise<Answer>) => Promise<Answer>;

export function createDirectoryQueue(): DirectoryQueue {
  const limit = createConcurrencyLimit({ maxConcurrent: 1, waitMs: TURN_WAIT_MS });
  return (organizationId, work) => limit.run(organizationId, NEVER, work);
}
