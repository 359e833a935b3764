/** Turns a member or the settings of an organization into the record that responses show. */
import type {
  OrganizationMemberRecord,
  OrganizationSettingsRecord,
} from '../../../contract/accounts/organization.ts';
import type { Organization, OrganizationMember } from '../../../domain/accounts/organization.ts';

export function presentOrganizationMember(member: OrganizationMember): OrganizationMemberRecord {
  return {
    id: member.userId,
    email: member.email,
    first_name: member.firstName,
    last_name: member.lastName,
    role: member.role,
  };
}

export function presentOrganizationSettings(organization: Organization): OrganizationSettingsRecord {
  return {
    id: organization.id,
    is_filtered_model_catalog_enabled: organization.isFilteredModelCatalogEnabled,
  };
}
