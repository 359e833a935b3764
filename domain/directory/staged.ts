/** Defines the people and groups that a sync has read from a directory server. */
import type { PersonFacts, ScimAttributes } from './person.ts';

/** A person as read from a pulled source. */
export interface StagedPerson extends PersonFacts {
  /** The id at the source. */
  sourceId: string;
  resource: ScimAttributes;
}

/** A group as read from a pulled source. */
export interface StagedGroup {
  sourceId: string;
  externalId: string | null;
  displayName: string;
  resource: ScimAttributes;
  /** Ids of the members at the source. */
  members: string[];
}
