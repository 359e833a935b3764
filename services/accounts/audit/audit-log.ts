import {
  type AuditFilter,
  type AuditPage,
  type AuditRecord,
  createAuditStore,
} from '../../../db/accounts/audit-store.ts';
import type { Handle } from '../../../db/connection.ts';
import { invalidRequest } from '../../../domain/errors.ts';

/** What was changed in an organization, by whom, and when. */
export interface AuditLog {
  /** Newest first. 400 when `page.before` is no entry of the organization's log. */
  list(
    organizationId: string,
    filter: AuditFilter,
    page: AuditPage,
  ): Promise<{ entries: AuditRecord[]; totalCount: number }>;
}

export function createAuditLog({ knex }: { knex: Handle }): AuditLog {
  const store = createAuditStore(knex);
  return {
    async list(organizationId, filter, page) {
      const found = await store.list(organizationId, filter, page);
      if (found !== null) return found;
      throw invalidRequest({ path: 'query.before', message: 'is no entry of the audit log' });
    },
  };
}
