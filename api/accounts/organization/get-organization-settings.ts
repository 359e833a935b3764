/** Handles `GET /organization/settings`: returns the settings of the organization. */
import { operations } from '../../../contract/operations.ts';
import { presentOrganizationSettings } from './present-organization.ts';
import { defineRoute } from '../../http/route.ts';

export const getOrganizationSettings = defineRoute(
  operations.getOrganizationSettings,
  async ({ principal }, { services }) => ({
    status: 200,
    body: { data: presentOrganizationSettings(await services.organization.get(principal.organizationId)) },
  }),
);
