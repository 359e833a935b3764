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

/** Says how far a run is. It is written in the transaction that stores what was done up to there. */
export interface SyncCursor {
  /** Counts the writes, so that an attempt that was given up cannot overwrite a later one. */
  n: number;
  stage: SyncStage;
  /** The server that is read. */
  baseUrl?: string;
  /** When the reading began, as Unix milliseconds. */
  readAtMs?: number;
  /** Asks the source for what changed since then, as an ISO date; absent, all is read. */
  changedSince?: string;
  /** Where the next page begins, from 1. */
  startIndex: number;
  /** The resources that came in this reading of the list. */
  read: number;
  /** Resources that came in this reading and were left out, because they are not understood and not known. */
  leftOut: number;
  /** How many times the page at hand was read again. */
  pageReadings: number;
  /** How many times the list was read again from its beginning. */
  readings: number;
  /** Too much is missing to ask for it: the job ends at its guard. */
  isTooMuchMissing?: boolean;
  /** The last missing person or group that was asked for. */
  askedId?: string;
  /** The stored ids of a source are those of another server, and mean nothing here. A dry run does not forget them. */
  ignoresIds?: boolean;
  /** Only missing people who are members are asked for. */
  onlyMembers?: boolean;
  /** Groups that were added, changed or deleted, for the report. */
  groups?: { synced: number; deleted: number };
  /** New runs that were needed because an earlier one was lost. */
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

/** Returns whether the run has read all that it reads. A run that replaces a lost one may begin there. */
export function hasRead({ stage }: SyncCursor): boolean {
  return AFTER_READING.includes(stage);
}

/** Returns whether the run has planned what it applies. */
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
