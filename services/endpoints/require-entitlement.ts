import type { Handle } from '../../db/connection.ts';
import { createOrganizationStore } from '../../db/organization-store.ts';
import { AppError } from '../../domain/errors.ts';

/** Throws 403 unless the organization has the entitlement. Reads the database: for administration only. */
export async function requireEntitlement(
  knex: Handle,
  organizationId: string,
  entitlement: string,
): Promise<void> {
  const isEntitled = await createOrganizationStore(knex).hasEntitlement(organizationId, entitlement);
  if (!isEntitled) throw new AppError('entitlement_required');
}
