import {
  type AuditFilter,
  type AuditPage,
  type AuditRecord,
  createAuditStore,
} from '../../db/accounts/audit-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { invalidRequest } from '../../domain/errors.ts';

/** Lists who changed what in an organization, and when. */
export function createAuditLog({ knex }: { knex: Handle }) {
  const store = createAuditStore(knex);
  return {
    /** Lists entries, the newest first. Throws 400 when `page.before` is no entry of the organization's log. */
    async list(
      organizationId: string,
      filter: AuditFilter,
      page: AuditPage,
    ): Promise<{ entries: AuditRecord[]; totalCount: number }> {
      const found = await store.list(organizationId, filter, page);
      if (found !== null) return found;
      throw invalidRequest({ path: 'query.before', message: 'is no entry of the audit log' });
    },
  };
}

export type AuditLog = ReturnType<typeof createAuditLog>;
