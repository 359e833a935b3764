/** The steps of a run, in their order. A run that reads no source begins with `comparing`. */
export type SyncStage =
  | 'beginning'
  | 'people'
  | 'groups'
  | 'merging'
  | 'missing_people'
  | 'missing_groups'
  | 'comparing'
  | 'applying'
  | 'done';

/** The progress of a run. It is written in the same transaction as the work up to that point. */
export interface SyncCursor {
  /** Counts the writes, so an abandoned attempt cannot overwrite a later one. */
  n: number;
  stage: SyncStage;
  /** The server that is read. */
  baseUrl?: string | undefined;
  /** The start of the reading, in Unix milliseconds. */
  readAtMs?: number;
  /** Restricts the reading to changes since this ISO date; absent: everything is read. */
  changedSince?: string | undefined;
  /** The index at which the next page begins, from 1. */
  startIndex: number;
  /** The resources received in this reading of the list. */
  read: number;
  /** Resources of this reading that were skipped, because they are invalid and unknown. */
  leftOut: number;
  /** Counts the repeated readings of the current page. */
  pageReadings: number;
  /** Counts the repeated readings of the list from its beginning. */
  readings: number;
  /** True: too many entries are missing to look them up one by one. The guard stops the job. */
  isTooMuchMissing?: boolean;
  /** The last missing person or group that was looked up. */
  askedId?: string;
  /** True: the stored source ids belong to another server and are ignored. A dry run does not delete them. */
  ignoresIds?: boolean;
  /** True: only missing people who are members are looked up. */
  onlyMembers?: boolean;
  /** Groups that were added, changed or deleted, for the report. */
  groups?: { synced: number; deleted: number };
  /** Counts the runs that replaced a lost one. */
  restarts?: number;
}

export const FIRST_CURSOR: SyncCursor = {
  n: 0,
  stage: 'beginning',
  startIndex: 1,
  read: 0,
  leftOut: 0,
  pageReadings: 0,
  readings: 0,
};

const AFTER_READING: readonly SyncStage[] = ['comparing', 'applying', 'done'];

/** Returns whether the run has finished reading. A run that replaces a lost one may begin there. */
export function hasRead({ stage }: SyncCursor): boolean {
  return AFTER_READING.includes(stage);
}

/** Returns whether the run has planned its changes. */
export function hasPlanned({ stage }: SyncCursor): boolean {
  return stage === 'applying' || stage === 'done';
}

/** Returns the cursor at the beginning of a stage. */
export function enterStage(cursor: SyncCursor, stage: SyncStage): SyncCursor {
  const { askedId: _, onlyMembers: __, ...rest } = cursor;
  return { ...rest, stage, startIndex: 1, read: 0, leftOut: 0, pageReadings: 0, readings: 0 };
}

/** Returns the cursor for another reading of the list from its beginning. */
export function readAgain(cursor: SyncCursor): SyncCursor {
  return {
    ...cursor,
    startIndex: 1,
    read: 0,
    leftOut: 0,
    pageReadings: 0,
    readings: cursor.readings + 1,
  };
}
