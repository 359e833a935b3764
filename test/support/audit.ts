import type { Gateway } from './gateway.ts';

export interface AuditRow {
  organization_id: string;
  key_hash: string | null;
  action: string;
  target: string;
  request_id: string | null;
}

/** What was logged about a target, oldest first. */
export async function auditRows({ database }: Gateway, target: string): Promise<AuditRow[]> {
  const { rows } = await database.query<AuditRow>(
    `select organization_id, key_hash, action, target, request_id from audit_log
     where target = $1 order by created_at`,
    [target],
  );
  return rows;
}
