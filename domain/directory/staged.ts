import type { PersonFacts, ScimAttributes } from './person.ts';

/** A person as a pulled source gave it. */
export interface StagedPerson extends PersonFacts {
  /** The id at the source. */
  sourceId: string;
  resource: ScimAttributes;
}

/** A group as a pulled source gave it. */
export interface StagedGroup {
  sourceId: string;
  externalId: string | null;
  displayName: string;
  resource: ScimAttributes;
  /** Ids of the members at the source. */
  members: string[];
}
