import type { Handle } from '../postgres/connection.ts';
import { run } from '../postgres/statement.ts';

export interface KeyUse {
  keyId: number;
  usedAt: Date;
}

/** Stores when keys were last used. Changes are not announced: no request depends on them. */
export function createKeyUseStore(handle: Handle) {
  return {
    /**
     * Records uses without moving a time back. One statement locks the keys in the order of their ids, which prevents
     * deadlocks between processes.
     */
    async record(uses: KeyUse[]): Promise<void> {
      await run(
        handle,
        `update api_keys k set last_used_at = u.used_at
         from (
           select k.id, u.used_at
           from unnest(:keyIds::bigint[], :times::timestamptz[]) u (id, used_at) join api_keys k using (id)
           where k.last_used_at is null or k.last_used_at < u.used_at
           order by k.id for no key update of k
         ) u where k.id = u.id`,
        { keyIds: uses.map(({ keyId }) => keyId), times: uses.map(({ usedAt }) => usedAt) },
      );
    },
  };
}
