/** Explains to administrators why a directory sync failed. */
import type { SyncFailure } from './job.ts';

/** The fixed sentence that explains each failure of a job. Programs read the reason instead. */
export const FAILURE_MESSAGES: Readonly<Record<SyncFailure, string>> = {
  source_unauthorized: 'The source refused the token.',
  source_unavailable: 'The source could not be reached, or did not answer.',
  source_incomplete: 'The source did not give a complete list of its people and groups.',
  source_invalid: 'The source gave an answer that is not understood.',
  source_too_large: 'The source has more people or groups, or a larger page, than a sync reads.',
  guard_empty: 'The source is empty, and people would lose access.',
  guard_deletions: 'Too many people or groups would be removed.',
  timed_out: 'The sync took too long.',
  internal: 'The sync failed because of an error in the gateway.',
};
