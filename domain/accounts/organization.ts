/** Defines organizations, their settings, members and roles. */

export const ORGANIZATION_ROLES = ['org:admin', 'org:member'] as const;
export type OrganizationRole = (typeof ORGANIZATION_ROLES)[number];

/** A member of an organization. */
export interface OrganizationMember {
  userId: string;
  email: string;
  firstName: string | null;
  lastName: string | null;
  role: OrganizationRole;
}

export interface OrganizationSettings {
  /** True: lists of models contain only those that the calling key may use. */
  isFilteredModelCatalogEnabled: boolean;
}

export type Organization = OrganizationSettings & { id: string };
