export const ORGANIZATION_ROLES = ['org:admin', 'org:member'] as const;
export type OrganizationRole = (typeof ORGANIZATION_ROLES)[number];

/** Somebody who belongs to an organization. */
export interface OrganizationMember {
  userId: string;
  email: string;
  firstName: string | null;
  lastName: string | null;
  role: OrganizationRole;
}

export interface OrganizationSettings {
  /** Whether its lists of models have only those that the asking key may use. */
  isFilteredModelCatalogEnabled: boolean;
}

export type Organization = OrganizationSettings & { id: string };
