/** Handles `PATCH /organization/settings`: changes the settings of the organization. */
import { operations } from '../../../contract/operations.ts';
import { actorOf } from '../../../domain/principal.ts';
import { presentOrganizationSettings } from './present-organization.ts';
import { defineRoute } from '../../http/route.ts';

export const updateOrganizationSettings = defineRoute(
  operations.updateOrganizationSettings,
  async ({ principal, client, body }, { services }) => {
    const settings = { isFilteredModelCatalogEnabled: body.is_filtered_model_catalog_enabled };
    const organization = await services.organization.update(actorOf(principal, client), settings);
    return { status: 200, body: { data: presentOrganizationSettings(organization) } };
  },
);
