import type { StagedGroup, StagedPerson } from '../../../domain/directory/staged.ts';

/** A resource of a source that is not understood. Its id says who it is. */
export interface NotUnderstood {
  sourceId: string;
  why: string;
}

/** A part of a list. */
export interface SourcePage<Resource> {
  resources: Resource[];
  notUnderstood: NotUnderstood[];
  /** How many resources the whole list has, as the source says. */
  total: number;
}

export interface PageRequest {
  /** From 1. */
  startIndex: number;
  /** Only what changed after this ISO date. */
  changedSince?: string;
  signal: AbortSignal;
}

/** A person or group to look for: by the id at the source, or by name where no id of this source is known. */
export interface Wanted {
  sourceId: string | null;
  name: string;
}

/** Reads a directory elsewhere. Every call rejects with a SourceError when the source cannot be read. */
export interface SourceReader {
  /** Returns whether the source can be asked for what changed since a time. */
  canFilterByChange(signal: AbortSignal): Promise<boolean>;
  readPeople(request: PageRequest): Promise<SourcePage<StagedPerson>>;
  readGroups(request: PageRequest): Promise<SourcePage<StagedGroup>>;
  /** Returns null only when the source says that there is no such person. */
  findPerson(wanted: Wanted, signal: AbortSignal): Promise<StagedPerson | null>;
  findGroup(wanted: Wanted, signal: AbortSignal): Promise<StagedGroup | null>;
}
