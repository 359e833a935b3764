/** Something outside that says what generations of a workspace are about, in tags. */
export interface Classifier {
  id: string;
  workspaceId: string;
  name: string;
  description: string | null;
  /** Only active ones can be asked for in analytics. */
  isActive: boolean;
  createdAt: Date;
  updatedAt: Date;
}

/** What is absent stays as it is; null clears. */
export interface ClassifierChanges {
  name?: string;
  description?: string | null;
  isActive?: boolean;
}

/** A generation may have several values in a dimension. */
export interface Tag {
  generationId: string;
  dimension: string;
  value: string;
}

/** Names of dimensions: snake case, since they become columns of answers. */
export const TAG_DIMENSION_PATTERN = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
export const MAX_TAG_DIMENSION_LENGTH = 64;
