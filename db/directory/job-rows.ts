/** Lists the columns of directory sync jobs, and selects them. */
import {
  JOB_STATES,
  SYNC_FAILURES,
  SYNC_TRIGGERS,
  type SyncCounts,
  type SyncJob,
  type SyncProgress,
  type SyncWarning,
} from '../../domain/directory/job.ts';
import { SOURCE_TYPES } from '../../domain/directory/source.ts';
import type { Handle } from '../postgres/connection.ts';
import { bool, int4, jsonb, oneOf, selectList, timestamptz, uuid } from '../postgres/shape.ts';
import { type NamedValues, rowsOf } from '../postgres/statement.ts';

export const JOB = {
  id: uuid,
  organizationId: uuid,
  source: oneOf(SOURCE_TYPES),
  trigger: oneOf(SYNC_TRIGGERS),
  dryRun: bool,
  allowDeletions: bool,
  isFull: bool,
  state: oneOf(JOB_STATES),
  progress: jsonb<SyncProgress>(),
  counts: jsonb<Partial<SyncCounts>>(),
  warnings: jsonb<SyncWarning[]>(),
  errorReason: oneOf(SYNC_FAILURES).orNull,
  syncedGroups: int4.orNull,
  deletedGroups: int4.orNull,
  createdAt: timestamptz,
  startedAt: timestamptz.orNull,
  finishedAt: timestamptz.orNull,
};

export const JOB_COLUMNS = selectList(JOB);

/** Returns jobs. `rest` is SQL from `where` on. */
export function selectJobs(handle: Handle, rest: string, values: NamedValues): Promise<SyncJob[]> {
  return rowsOf(handle, JOB, `select ${JOB_COLUMNS} from directory_jobs ${rest}`, values);
}
