/** Logs every request that is sent to a host for an intern, with its outcome. */
import type { Handle } from '../postgres/connection.ts';
import { int4, int8, type RowOf, selectList, text, texts, timestamptz } from '../postgres/shape.ts';
import { prepared, rowsOf, run } from '../postgres/statement.ts';

/** A request that is about to be sent to a host. */
export interface EgressEntry {
  internId: string;
  keyHash: string;
  method: string;
  host: string;
  /** The names of the secrets that are sent. */
  names: readonly string[];
}

export interface EgressEnd {
  internId: string;
  id: string;
  /** The status of the host's answer; null without an answer. */
  status: number | null;
  bytes: number;
}

const EGRESS_ENTRY = {
  id: int8,
  keyHash: text,
  method: text,
  host: text,
  names: texts,
  status: int4.orNull,
  /** Null while the request runs, and if its end was not recorded. */
  bytes: int8.orNull,
  createdAt: timestamptz,
};
export type EgressRecord = Omit<RowOf<typeof EGRESS_ENTRY>, 'bytes'> & { bytes: number | null };

/** Stores the requests that were sent for interns. One statement writes many. */
export function createEgressLogStore(handle: Handle) {
  return {
    /** Inserts entries and returns their ids in the same order. A deleted intern gets no entry; its id is null. */
    async insert(entries: readonly EgressEntry[]): Promise<(string | null)[]> {
      const ids: (string | null)[] = entries.map(() => null);
      const written = await rowsOf(handle, { n: int8, id: int8 }, INSERT, {
        internIds: entries.map(({ internId }) => internId),
        keyHashes: entries.map(({ keyHash }) => keyHash),
        methods: entries.map(({ method }) => method),
        hosts: entries.map(({ host }) => host),
        names: entries.map(({ names }) => names.join(' ')),
      });
      for (const { n, id } of written) ids[Number(n) - 1] = id;
      return ids;
    },

    /** Records the outcome of requests. */
    async complete(ends: readonly EgressEnd[]): Promise<void> {
      await run(handle, COMPLETE, {
        internIds: ends.map(({ internId }) => internId),
        ids: ends.map(({ id }) => id),
        statuses: ends.map(({ status }) => status ?? NO_STATUS),
        noStatus: NO_STATUS,
        bytes: ends.map(({ bytes }) => bytes),
      });
    },

    /** Returns the newest entries of an intern, optionally only those before the entry `before`. */
    async list(
      internId: string,
      { limit, before }: { limit: number; before: string | undefined },
    ): Promise<EgressRecord[]> {
      const rows = await rowsOf(
        handle,
        EGRESS_ENTRY,
        `select ${selectList(EGRESS_ENTRY)}
         from egress_log where intern_id = :internId and (:before::bigint is null or id < :before::bigint)
         order by id desc limit :limit`,
        { internId, limit, before: before ?? null },
      );
      return rows.map((row) => ({ ...row, bytes: row.bytes === null ? null : Number(row.bytes) }));
    },

    /** Deletes up to `limit` entries of all interns older than `retentionMs`. Returns the number. */
    deleteOld: (retentionMs: number, limit: number): Promise<number> =>
      run(
        handle,
        `delete from egress_log where ctid = any(array(
           select ctid from egress_log where created_at < now() - :retentionMs * interval '1 millisecond' limit :limit))`,
        { retentionMs, limit },
      ),
  };
}

export type EgressLogStore = ReturnType<typeof createEgressLogStore>;

/**
 * Inserts entries. A request is sent only after its entry is committed, so a deleted intern sends nothing. Names of
 * secrets contain no blanks.
 */
const INSERT = prepared(
  'egress_log_insert',
  `
    with entries as materialized (
      select nextval('egress_log_id_seq') as id, e.*
      from (
        select i.organization_id, r.*
        from unnest(:internIds::uuid[], :keyHashes::text[], :methods::text[], :hosts::text[], :names::text[])
          with ordinality r (intern_id, key_hash, method, host, names, n)
        join interns i on i.id = r.intern_id order by r.n
      ) e
    ), written as (
      insert into egress_log (id, organization_id, intern_id, key_hash, method, host, names)
      overriding system value
      select id, organization_id, intern_id, key_hash, method, host, string_to_array(names, ' ')
      from entries
    )
    select n, id from entries`,
);

/** Stands for null in a list of numbers. */
const NO_STATUS = 0;

/**
 * Records outcomes. The commit does not wait for the disk, so a crash of Postgres may lose the last ones. It is not
 * prepared: a plan made for a short log would read all of a long one.
 */
const COMPLETE = `
  with quick as materialized (select set_config('synchronous_commit', 'off', true))
  update egress_log l set status = nullif(e.status, :noStatus), bytes = e.bytes
  from quick, unnest(:internIds::uuid[], :ids::bigint[], :statuses::int[], :bytes::bigint[])
    e (intern_id, id, status, bytes)
  where l.intern_id = e.intern_id and l.id = e.id`;
