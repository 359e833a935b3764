/** Defines the interface for reading a remote directory, regardless of its protocol. */
import type { StagedGroup, StagedPerson } from '../../../domain/directory/staged.ts';
import type { SyncFailure } from '../../../domain/directory/job.ts';

/**
 * Means that the source cannot be read, which ends the job. Administrators see the message, which contains no address
 * and no secret.
 */
export class SourceError extends Error {
  readonly reason: SyncFailure;

  constructor(reason: SyncFailure, message: string) {
    super(message);
    this.name = 'SourceError';
    this.reason = reason;
  }
}

/** A resource of a source that cannot be understood, with its id. */
export interface UnreadableResource {
  sourceId: string;
  why: string;
}

/** A part of a list. */
export interface SourcePage<Resource> {
  resources: Resource[];
  unreadable: UnreadableResource[];
  /** The number of resources in the whole list, as the source states it. */
  total: number;
}

export interface PageRequest {
  /** The position of the first resource, from 1. */
  startIndex: number;
  /** An ISO date. When set, only resources changed after it are returned. */
  changedSince?: string | undefined;
  signal: AbortSignal;
}

/** A person or group to look for: by the id at the source, or by name when no id of this source is known. */
export interface LookupTarget {
  sourceId: string | null;
  name: string;
}

/** Reads a remote directory. Every call rejects with a SourceError when the source cannot be read. */
export interface SourceReader {
  /** Returns whether the source can filter by the time of change. */
  canFilterByChange(signal: AbortSignal): Promise<boolean>;
  readPeople(request: PageRequest): Promise<SourcePage<StagedPerson>>;
  readGroups(request: PageRequest): Promise<SourcePage<StagedGroup>>;
  /** Finds a person. Returns null only when the source states that there is none. */
  findPerson(wanted: LookupTarget, signal: AbortSignal): Promise<StagedPerson | null>;
  findGroup(wanted: LookupTarget, signal: AbortSignal): Promise<StagedGroup | null>;
}
