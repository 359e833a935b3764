/** Handles `GET /organization/members`: lists the members of the organization. */
import { operations } from '../../../contract/operations.ts';
import { presentOrganizationMember } from './present-organization.ts';
import { defineRoute } from '../../http/route.ts';

export const listOrganizationMembers = defineRoute(
  operations.listOrganizationMembers,
  async ({ principal, query }, { services }) => {
    const { members, totalCount } = await services.organization.listMembers(principal.organizationId, query);
    return { status: 200, body: { data: members.map(presentOrganizationMember), total_count: totalCount } };
  },
);
