import { createAuditStore } from '../../db/accounts/audit-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { createOrganizationStore } from '../../db/accounts/organization-store.ts';
import type {
  Organization,
  OrganizationMember,
  OrganizationSettings,
} from '../../domain/accounts/organization.ts';
import type { Actor } from '../../domain/principal.ts';

/** Reads and changes the organization of a management key. */
export function createOrganizationService({ knex }: { knex: Handle }) {
  return {
    /** Lists members, the oldest first. */
    listMembers: (
      organizationId: string,
      page: { limit: number; offset: number },
    ): Promise<{ members: OrganizationMember[]; totalCount: number }> =>
      createOrganizationStore(knex).listMembers(organizationId, page),
    get: (organizationId: string): Promise<Organization> => read(knex, organizationId),
    /** Changes the settings and leaves an audit row. */
    update: (actor: Actor, settings: OrganizationSettings): Promise<Organization> =>
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

export type OrganizationService = ReturnType<typeof createOrganizationService>;
