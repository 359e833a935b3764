/** Declares the operations on the organization's members and settings, and their shapes. */
import { z } from 'zod';
import { ORGANIZATION_ROLES } from '../../domain/accounts/organization.ts';
import { answerWith, pageOf } from '../answers.ts';
import { defineOperations } from '../operation.ts';
import { pageQuery } from '../query-values.ts';

const common = { access: 'management', tag: 'Organization' } as const;

const organizationMember = z
  .object({
    id: z.string().meta({ description: '`user_<id>`.' }),
    email: z.string(),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    role: z.enum(ORGANIZATION_ROLES),
  })
  .meta({ id: 'OrganizationMember' });

export type OrganizationMemberRecord = z.output<typeof organizationMember>;

const isFilteredModelCatalogEnabled = z.boolean().meta({
  description:
    'True if `GET /models` lists only the models that the calling key may use. The value has no effect, since every key may use every listed model.',
});

const organizationSettings = z
  .object({ id: z.uuid(), is_filtered_model_catalog_enabled: isFilteredModelCatalogEnabled })
  .meta({ id: 'OrganizationSettings' });

export type OrganizationSettingsRecord = z.output<typeof organizationSettings>;

const current = answerWith('OrganizationSettingsAnswer', organizationSettings, {
  id: '6f1c2c1e-5a3a-4b61-9a53-0f2c6f3d1f10',
  is_filtered_model_catalog_enabled: false,
});

export const organizationOperations = defineOperations(common, {
  listOrganizationMembers: {
    route: 'GET /organization/members',
    errorMessages: 'exact',
    summary: 'List the members of the organization',
    description:
      'Lists the members, the oldest first. Members who are added while you read the pages come last.',
    query: z.object(pageQuery),
    responses: {
      200: {
        description: 'One page of members.',
        ...pageOf('OrganizationMemberList', organizationMember, {
          id: 'user_2b8XQ1mZr7KcW4tYp0LdVn3E',
          email: 'ada@example.com',
          first_name: 'Ada',
          last_name: null,
          role: 'org:admin',
        }),
      },
    },
    errors: [404],
  },

  getOrganizationSettings: {
    route: 'GET /organization/settings',
    summary: 'Get the settings of the organization',
    responses: { 200: { description: 'The settings.', ...current } },
  },

  updateOrganizationSettings: {
    route: 'PATCH /organization/settings',
    summary: 'Update the settings of the organization',
    body: {
      schema: z
        .object({ is_filtered_model_catalog_enabled: isFilteredModelCatalogEnabled })
        .meta({ id: 'OrganizationSettingsChanges' }),
      examples: {
        filter: {
          summary: 'Only models that the calling key may use',
          value: { is_filtered_model_catalog_enabled: true },
        },
      },
    },
    responses: { 200: { description: 'The settings as they are now.', ...current } },
  },
});
