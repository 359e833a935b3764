/** Stores the response to each `Idempotency-Key`, so that a retry gets it again. */
import type { Handle } from './postgres/connection.ts';
import { anyRows } from './postgres/results.ts';
import { int2, jsonb, selectList, text } from './postgres/shape.ts';
import { rowsOf, run } from './postgres/statement.ts';

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

const ANSWER = { requestHash: text, status: int2, json: jsonb<unknown>().orNull, sealed: text.orNull };

/** Stores responses for 24 hours. A request with the same key gets the stored response. */
export function createIdempotencyStore(handle: Handle) {
  return {
    async find(scope: IdempotencyScope): Promise<RememberedAnswer | null> {
      const [row] = await rowsOf(
        handle,
        ANSWER,
        `select ${selectList(ANSWER)} from remembered_answers
         where organization_id = :organizationId
           and (workspace_id = :workspaceId::uuid or (workspace_id is null and :workspaceId::uuid is null))
           and operation = :operation and key = :key and created_at > now() - interval '24 hours'`,
        scope,
      );
      if (row === undefined) return null;
      const { requestHash, status, json, sealed } = row;
      return { requestHash, status, body: sealed === null ? { json } : { sealed } };
    },

    /**
     * Stores the response in the transaction of the request's work. A concurrent request with the same key waits for
     * that commit, gets false, and must roll back. An expired record is replaced.
     */
    async remember(scope: IdempotencyScope, status: number, body: StoredBody): Promise<boolean> {
      const [json, sealed] = 'json' in body ? [JSON.stringify(body.json), null] : [null, body.sealed];
      return anyRows(
        handle,
        `insert into remembered_answers
           (organization_id, workspace_id, operation, key, request_hash, status, json, sealed)
         values (:organizationId, :workspaceId, :operation, :key, :requestHash, :status, :json::jsonb, :sealed)
         on conflict (organization_id, workspace_id, operation, key) do update
           set request_hash = excluded.request_hash, status = excluded.status, json = excluded.json,
               sealed = excluded.sealed, created_at = now()
           where remembered_answers.created_at <= now() - interval '24 hours'`,
        { ...scope, status, json, sealed },
      );
    },

    /** Deletes up to `limit` expired records, including secrets. Returns the number. */
    deleteExpired: (limit: number): Promise<number> =>
      run(
        handle,
        `delete from remembered_answers where ctid = any(array(
           select ctid from remembered_answers
           where created_at <= now() - interval '24 hours'
           order by created_at limit :limit for update skip locked))`,
        { limit },
      ),
  };
}
