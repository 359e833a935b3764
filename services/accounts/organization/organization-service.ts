import { createAuditStore } from '../../../db/accounts/audit-store.ts';
import type { Handle } from '../../../db/connection.ts';
import { createOrganizationStore } from '../../../db/accounts/organization-store.ts';
import type {
  Organization,
  OrganizationMember,
  OrganizationSettings,
} from '../../../domain/accounts/organization.ts';
import type { Actor } from '../../../domain/principal.ts';

/** The organization of a management key. */
export interface OrganizationService {
  /** The oldest first. */
  listMembers(
    organizationId: string,
    page: { limit: number; offset: number },
  ): Promise<{ members: OrganizationMember[]; totalCount: number }>;
  get(organizationId: string): Promise<Organization>;
  /** Leaves an audit row. */
  update(actor: Actor, settings: OrganizationSettings): Promise<Organization>;
}

export function createOrganizationService({ knex }: { knex: Handle }): OrganizationService {
  return {
    listMembers: (organizationId, page) => createOrganizationStore(knex).listMembers(organizationId, page),
    get: (organizationId) => read(knex, organizationId),
    update: (actor, settings) =>
      knex.transaction(async (transaction) => {
        const { organizationId } = actor;
        await createOrganizationStore(transaction).update(organizationId, settings);
        const entry = { action: 'updateOrganizationSettings', target: 'organization/settings' };
        await createAuditStore(transaction).insert(actor, entry);
        return read(transaction, organizationId);
      }),
  };
}

async function read(handle: Handle, organizationId: string): Promise<Organization> {
  const organization = await createOrganizationStore(handle).find(organizationId);
  if (organization === null) throw new Error('a key without its organization');
  return organization;
}
