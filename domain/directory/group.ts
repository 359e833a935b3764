/** Defines groups of a directory, and their mappings to workspaces. */
import type { WorkspaceRole } from '../accounts/workspace-member.ts';
import type { ScimAttributes } from './person.ts';

/** A group of a directory, without its members. */
export interface DirectoryGroup {
  /** The SCIM id. */
  id: string;
  organizationId: string;
  /** The id at a pulled source. */
  sourceId: string | null;
  externalId: string | null;
  displayName: string;
  /** Attributes other than the name, the external id and the members. */
  resource: ScimAttributes;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

/** Grants the people of a group a role in a workspace. */
export interface GroupMapping {
  id: string;
  organizationId: string;
  groupId: string;
  workspaceId: string;
  role: WorkspaceRole;
  createdAt: Date;
  updatedAt: Date;
}

export const MAX_GROUP_MEMBERS = 100_000;
