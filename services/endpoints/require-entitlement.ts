import type { Handle } from '../../db/postgres/connection.ts';
import { createOrganizationStore } from '../../db/accounts/organization-store.ts';
import { AppError } from '../../domain/errors.ts';
import { convertCancelledStatement } from './cancelled-statement.ts';

/** Throws 403 unless the organization has the entitlement. It reads the database, so only administration uses it. */
export async function requireEntitlement(
  knex: Handle,
  organizationId: string,
  entitlement: string,
): Promise<void> {
  const store = createOrganizationStore(knex);
  const isEntitled = await convertCancelledStatement(store.hasEntitlement(organizationId, entitlement));
  if (!isEntitled) throw new AppError('entitlement_required');
}
