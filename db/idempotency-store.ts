/** Stores the response to each `Idempotency-Key`, so that a retry gets it again. */
import type { Handle } from './postgres/connection.ts';
import { uncheckedRowsOf } from './postgres/statement.ts';

export interface IdempotencyScope {
  organizationId: string;
  /** The workspace of the resource; null if it belongs to the organization. */
  workspaceId: string | null;
  operation: string;
  key: string;
  requestHash: string;
}

/** The body of a stored response. A body with a secret is encrypted as a whole. */
export type StoredBody = { json: unknown } | { sealed: string };

export interface RememberedAnswer {
  requestHash: string;
  status: number;
  body: StoredBody;
}

interface RecordRow {
  request_hash: string;
  status: number;
  body: unknown;
  sealed_body: string | null;
}

/** Stores responses for 24 hours. A request with the same key gets the stored response. */
export function createIdempotencyStore(handle: Handle) {
  return {
    async find(scope: IdempotencyScope): Promise<RememberedAnswer | null> {
      const [row] = await uncheckedRowsOf<RecordRow>(
        handle,
        `select request_hash, status, body, sealed_body from remembered_answers
         where organization_id = ? and (workspace_id = ?::uuid or (workspace_id is null and ?::uuid is null))
           and operation = ? and key = ? and created_at > now() - interval '24 hours'`,
        [scope.organizationId, scope.workspaceId, scope.workspaceId, scope.operation, scope.key],
      );
      if (row === undefined) return null;
      const body = row.sealed_body === null ? { json: row.body } : { sealed: row.sealed_body };
      return { requestHash: row.request_hash, status: row.status, body };
    },

    /**
     * Stores the response in the transaction of the request's work. A concurrent request with the same key waits for
     * that commit, gets false, and must roll back. An expired record is replaced.
     */
    async remember(scope: IdempotencyScope, status: number, body: StoredBody): Promise<boolean> {
      const { organizationId, workspaceId, operation, key, requestHash } = scope;
      const [json, sealed] = 'json' in body ? [JSON.stringify(body.json), null] : [null, body.sealed];
      const rows = await uncheckedRowsOf<{ key: string }>(
        handle,
        `insert into remembered_answers
           (organization_id, workspace_id, operation, key, request_hash, status, body, sealed_body)
         values (?, ?, ?, ?, ?, ?, ?::jsonb, ?)
         on conflict (organization_id, workspace_id, operation, key) do update
           set request_hash = excluded.request_hash, status = excluded.status, body = excluded.body,
               sealed_body = excluded.sealed_body, created_at = now()
           where remembered_answers.created_at <= now() - interval '24 hours'
         returning key`,
        [organizationId, workspaceId, operation, key, requestHash, status, json, sealed],
      );
      return rows.length > 0;
    },

    /** Deletes up to `limit` expired records, including secrets. Returns the number. */
    async deleteExpired(limit: number): Promise<number> {
      const rows = await uncheckedRowsOf<{ key: string }>(
        handle,
        `delete from remembered_answers where ctid = any(array(
           select ctid from remembered_answers
           where created_at <= now() - interval '24 hours'
           order by created_at limit ? for update skip locked))
         returning key`,
        [limit],
      );
      return rows.length;
    },
  };
}
