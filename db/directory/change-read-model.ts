import type { DirectoryChange } from '../../domain/directory/job.ts';
import type { Handle } from '../postgres/connection.ts';

interface ChangeRow {
  n: string;
  kind: DirectoryChange['kind'];
  user_id: string | null;
  person_id: string | null;
  workspace_id: string | null;
  group_id: string | null;
  key_hash: string | null;
  name: string;
  from_value: string | null;
  to_value: string | null;
  created_at: Date;
}

/** Reads the changes of jobs, in the order in which they were written. */
export function createChangeReadModel(handle: Handle) {
  return {
    async list(
      jobId: string,
      { limit, offset }: { limit: number; offset: number },
    ): Promise<{ changes: DirectoryChange[]; totalCount: number }> {
      const rows = await handle<ChangeRow & { job_id: string }>('directory_changes')
        .where({ job_id: jobId })
        .orderBy('n')
        .limit(limit)
        .offset(offset);
      const count = await handle<ChangeRow & { job_id: string }>('directory_changes')
        .where({ job_id: jobId })
        .count<{ n: string }>({ n: '*' })
        .first();
      return { changes: rows.map(toChange), totalCount: Number(count?.n ?? 0) };
    },
  };
}

function toChange(row: ChangeRow): DirectoryChange {
  return {
    n: Number(row.n),
    kind: row.kind,
    userId: row.user_id,
    personId: row.person_id,
    workspaceId: row.workspace_id,
    groupId: row.group_id,
    keyHash: row.key_hash,
    name: row.name,
    fromValue: row.from_value,
    toValue: row.to_value,
    createdAt: row.created_at,
  };
}
