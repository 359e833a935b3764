import type { Handle } from './connection.ts';
import { rowsOf } from './connection.ts';

export interface IdempotencyScope {
  organizationId: string;
  operation: string;
  key: string;
  requestHash: string;
}

export interface RememberedAnswer {
  requestHash: string;
  status: number;
  body: unknown;
}

/** Remembers answers for 24 hours (design: §8). */
export function createIdempotencyStore(handle: Handle) {
  return {
    async find(scope: IdempotencyScope): Promise<RememberedAnswer | null> {
      const [row] = await rowsOf<{ request_hash: string; status: number; body: unknown }>(
        handle,
        `select request_hash, status, body from idempotency_records
         where organization_id = ? and operation = ? and key = ? and created_at > now() - interval '24 hours'`,
        [scope.organizationId, scope.operation, scope.key],
      );
      return row === undefined ? null : { requestHash: row.request_hash, status: row.status, body: row.body };
    },

    /**
     * Writes the answer inside the transaction that does the work. A twin waits here for that commit, then
     * gets false, and must give up its own work. An expired record is taken over.
     */
    async remember(scope: IdempotencyScope, status: number, body: unknown): Promise<boolean> {
      const rows = await rowsOf<{ key: string }>(
        handle,
        `insert into idempotency_records (organization_id, operation, key, request_hash, status, body)
         values (?, ?, ?, ?, ?, ?::jsonb)
         on conflict (organization_id, operation, key) do update
           set request_hash = excluded.request_hash, status = excluded.status, body = excluded.body,
               created_at = now()
           where idempotency_records.created_at <= now() - interval '24 hours'
         returning key`,
        [scope.organizationId, scope.operation, scope.key, scope.requestHash, status, JSON.stringify(body)],
      );
      return rows.length > 0;
    },
  };
}

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>;
