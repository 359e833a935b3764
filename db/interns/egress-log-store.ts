import type { Handle } from '../connection.ts';
import { rowsOf } from '../connection.ts';
import { type PreparedStatement, rowsOfPrepared } from '../prepared-statement.ts';

/** A request that is about to be sent to a host. */
export interface EgressEntry {
  organizationId: string;
  internId: string;
  keyHash: string;
  method: string;
  host: string;
  /** The names of the secrets that the host receives. */
  names: readonly string[];
}

export interface EgressEnd {
  id: string;
  /** The status of the host's answer; null when there was none. */
  status: number | null;
  bytes: number;
}

export interface EgressRecord {
  id: string;
  keyHash: string;
  method: string;
  host: string;
  names: string[];
  status: number | null;
  /** Null while the request is under way, and when its end was never recorded. */
  bytes: number | null;
  createdAt: Date;
}

/** The requests that were sent for interns. Written by one statement for many requests. */
export function createEgressLogStore(handle: Handle) {
  return {
    /** Returns the id of each entry, in order; null for one whose intern is deleted, which is not written. */
    async insert(entries: readonly EgressEntry[]): Promise<(string | null)[]> {
      const rows = entries.map((entry, n) => ({ n, ...entry }));
      const written = await rowsOfPrepared<{ n: number; id: string }>(handle, INSERT, [JSON.stringify(rows)]);
      const ids = new Map(written.map(({ n, id }) => [n, id]));
      return entries.map((_, n) => ids.get(n) ?? null);
    },

    /** Adds to entries how their requests ended. */
    async complete(ends: readonly EgressEnd[]): Promise<void> {
      await rowsOfPrepared(handle, COMPLETE, [JSON.stringify(ends)]);
    },

    /** Returns the newest entries of an intern, those before the entry `before` where one is given. */
    async list(
      internId: string,
      { limit, before }: { limit: number; before: string | undefined },
    ): Promise<EgressRecord[]> {
      const rows = await rowsOf<Omit<EgressRecord, 'bytes'> & { bytes: string | null }>(
        handle,
        `select id, key_hash "keyHash", method, host, names, status, bytes, created_at "createdAt"
         from egress_log where intern_id = :internId and (:before::bigint is null or id < :before::bigint)
         order by id desc limit :limit`,
        { internId, limit, before: before ?? null },
      );
      return rows.map((row) => ({ ...row, bytes: row.bytes === null ? null : Number(row.bytes) }));
    },

    /** Deletes up to `limit` entries of all interns that are older than `retentionMs`. Returns how many. */
    async deleteOld(retentionMs: number, limit: number): Promise<number> {
      const rows = await rowsOf<{ id: string }>(
        handle,
        `delete from egress_log where id = any(array(
           select id from egress_log where created_at < now() - ? * interval '1 millisecond'
           order by created_at limit ?))
         returning id`,
        [retentionMs, limit],
      );
      return rows.length;
    },
  };
}

export type EgressLogStore = ReturnType<typeof createEgressLogStore>;

/** A request is sent only once its entry is committed, so that an intern that is deleted sends nothing. */
const INSERT: PreparedStatement = {
  name: 'egress_log_insert',
  text: `
    with entries as materialized (
      select nextval(pg_get_serial_sequence('egress_log', 'id')) as id, e.*
      from (
        select r.* from jsonb_to_recordset($1::jsonb) r (n int, "organizationId" uuid, "internId" uuid,
          "keyHash" text, method text, host text, names jsonb)
        join interns i on i.id = r."internId" order by r.n
      ) e
    ), written as (
      insert into egress_log (id, organization_id, intern_id, key_hash, method, host, names)
      overriding system value
      select id, "organizationId", "internId", "keyHash", method, host, array(select jsonb_array_elements_text(names))
      from entries
    )
    select n, id from entries`,
};

/** Not waited for until it is on disk: a server that crashes may forget how the last requests ended. */
const COMPLETE: PreparedStatement = {
  name: 'egress_log_complete',
  text: `
    with quick as materialized (select set_config('synchronous_commit', 'off', true))
    update egress_log l set status = e.status, bytes = e.bytes
    from quick, jsonb_to_recordset($1::jsonb) e (id bigint, status int, bytes bigint) where l.id = e.id`,
};
