/** An external system that tags generations of a workspace by topic. */
export interface Classifier {
  id: string;
  workspaceId: string;
  name: string;
  description: string | null;
  /** Analytics can use active classifiers only. */
  isActive: boolean;
  createdAt: Date;
  updatedAt: Date;
}

/** Changes to a classifier. An absent field stays as it is; null clears it. */
export interface ClassifierChanges {
  name?: string;
  description?: string | null;
  isActive?: boolean;
}

/** A value in a dimension of a classifier. A generation may have several values in one dimension. */
export interface Tag {
  generationId: string;
  dimension: string;
  value: string;
}

/** Matches names of dimensions: snake case, since they become columns of answers. */
export const TAG_DIMENSION_PATTERN = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
export const MAX_TAG_DIMENSION_LENGTH = 64;
