/** Answers the operations on an organization: its members and its settings. */
import type {
  OrganizationMemberRecord,
  organizationOperations,
  OrganizationSettingsRecord,
} from '../../contract/accounts/organization.ts';
import type { Organization, OrganizationMember } from '../../domain/accounts/organization.ts';
import { actorOf } from '../../domain/principal.ts';
import type { OrganizationService } from '../../services/accounts/organization-service.ts';
import type { RoutesOf } from '../http/route.ts';

export const organizationRoutes: RoutesOf<
  typeof organizationOperations,
  { organization: OrganizationService }
> = {
  /** Handles `GET /organization/members`: lists the members of the organization. */
  listOrganizationMembers: async ({ principal, query }, { services }) => {
    const { members, totalCount } = await services.organization.listMembers(principal.organizationId, query);
    return { status: 200, body: { data: members.map(presentOrganizationMember), total_count: totalCount } };
  },

  /** Handles `GET /organization/settings`: returns the settings of the organization. */
  getOrganizationSettings: async ({ principal }, { services }) => ({
    status: 200,
    body: { data: presentOrganizationSettings(await services.organization.get(principal.organizationId)) },
  }),

  /** Handles `PATCH /organization/settings`: changes the settings of the organization. */
  updateOrganizationSettings: async (call, { services }) => {
    const settings = { isFilteredModelCatalogEnabled: call.body.is_filtered_model_catalog_enabled };
    const organization = await services.organization.update(actorOf(call), settings);
    return { status: 200, body: { data: presentOrganizationSettings(organization) } };
  },
};

function presentOrganizationMember(member: OrganizationMember): OrganizationMemberRecord {
  return {
    id: member.userId,
    email: member.email,
    first_name: member.firstName,
    last_name: member.lastName,
    role: member.role,
  };
}

function presentOrganizationSettings(organization: Organization): OrganizationSettingsRecord {
  return {
    id: organization.id,
    is_filtered_model_catalog_enabled: organization.isFilteredModelCatalogEnabled,
  };
}
