/** Handles `GET /audit-log`: lists the changes that keys, operators and the system made in the organization. */
import { operations } from '../../../contract/operations.ts';
import { presentAuditEntry } from './present-audit-entry.ts';
import { withoutUndefined } from '../../http/request/without-undefined.ts';
import { defineRoute } from '../../http/route.ts';

export const listAuditLog = defineRoute(
  operations.listAuditLog,
  async ({ principal, query }, { services }) => {
    const { action, target, key_hash: keyHash, before, limit, offset } = query;
    const { entries, totalCount } = await services.auditLog.list(
      principal.organizationId,
      withoutUndefined({ action, target, keyHash }),
      withoutUndefined({ before, limit, offset }),
    );
    return { status: 200, body: { data: entries.map(presentAuditEntry), total_count: totalCount } };
  },
);
