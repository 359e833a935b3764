/** Builds the SQL statements that record a batch of generations. */
import { int4, json, uuids } from '../postgres/shape.ts';
import { prepared } from '../postgres/statement.ts';
import { DETAIL_COLUMNS, GENERATION_COLUMNS, INPUT_COLUMNS } from './ledger-rows.ts';
import { ADD_TO_SUMS, rollUp, SUMMED } from './ledger-sums.ts';

const namesOf = (columns: readonly { name: string }[]): string[] => columns.map(({ name }) => name);
/** SQL: parts of a statement that make missing apps. They cost a tenth of it, so one for known apps lacks them. */
const APPS = `
  wanted_app as materialized (
    select * from unnest(:app_origins::text[], :app_titles::text[])
      with ordinality as w (origin, title, n)
  ),
  made_app as (
    insert into apps as a (origin, title)
    select origin, title from wanted_app w
    where not exists (select from apps k where k.origin = w.origin and k.title = w.title)
    order by origin, title
    on conflict (origin, title) do update set title = a.title
    returning id, origin, title
  ),
  app as materialized (
    select w.n, w.origin, w.title, coalesce(k.id, m.id) id
    from wanted_app w left join apps k using (origin, title) left join made_app m using (origin, title)
  ),`;

interface Counting {
  /** Parts of the statement that count the rows of `inserted`. */
  parts: string;
  /** The last of them. */
  last: string;
  /**
   * True: all apps are known, and a row that exists fails the statement with SQLSTATE 23505. Otherwise such a row adds
   * nothing, and the statement has APPS and their values, its last two.
   */
  expectsNew: boolean;
}

/**
 * Returns a statement that records one batch of generations and counts them (ADR 0015). Everything is counted from
 * `inserted`, so an existing row adds nothing. Its values come from `encodeGenerations` as an array, because an object
 * with more than fifty names would take two microseconds longer.
 */
const recording = ({ parts, last, expectsNew }: Counting): string => `
  with shard as (select :shard::smallint),
  input as materialized (
    select *, timestamptz 'epoch' + created_ms * interval '1 millisecond' created_at,
      timestamptz 'epoch' + settled_ms * interval '1 millisecond' settled_at
    from unnest(${INPUT_COLUMNS.map(({ name, type }) => `:${name}::${type}[]`).join(', ')})
      as i (${namesOf(INPUT_COLUMNS).join(', ')})
  ),${expectsNew ? '' : APPS}
  inserted as (
    insert into generations (created_at, settled_at, app_id, ${namesOf(GENERATION_COLUMNS).join(', ')})
    select i.created_at, i.settled_at, ${expectsNew ? 'i.app_id' : 'coalesce(i.app_id, app.id)'},
      ${namesOf(GENERATION_COLUMNS)
        .map((name) => `i.${name}`)
        .join(', ')}
    from input i ${expectsNew ? '' : 'left join app on app.n = i.app_n'}
    ${expectsNew ? '' : 'on conflict do nothing'}
    returning created_at, id, ${SUMMED}
  ),
  details as (
    insert into generation_details (created_at, id, ${namesOf(DETAIL_COLUMNS).join(', ')})
    select created_at, id, ${namesOf(DETAIL_COLUMNS).join(', ')} from input
    ${expectsNew ? '' : 'on conflict do nothing'}
  ),
  ${parts},
  -- Last, as its locks are the last in the order. Workspaces without a destination cost one look at an index.
  logged as materialized (
    select append_to_broadcast_log((table shard), array_agg(workspace_id), array_agg(id), array_agg(created_at),
      array_agg(settled_at), array_agg(broadcast_facts)) workspaces
    from (select distinct on (g.created_at, g.id) g.*, i.broadcast_facts
          from inserted g join input i using (id) order by g.created_at, g.id) g
    where (select count(*) from ${last}) >= 0
      and exists (
        select from broadcast_heads h
        where h.shard = (table shard) and h.is_logged and h.workspace_id in (select workspace_id from inserted))
  )
  select (select count(*)::integer from inserted) added,
    ${expectsNew ? 'null::json' : `(select json_agg(json_build_object('origin', origin, 'title', title, 'id', id::text)) from app)`} apps,
    (select workspaces from logged) logged
  where (select count(*) from ${last}) >= 0`;

/**
 * Records generations and adds them to all counters and rollups, for jobs: their price leaves the open amount and
 * enters the counters in one commit. Parsing and planning take five milliseconds, longer than a small batch, so it is
 * prepared.
 */
export const RECORD_GENERATIONS = prepared(
  'sluice-record-generations',
  recording({
    parts: `grouped as materialized (${rollUp('inserted')}), ${ADD_TO_SUMS}`,
    last: 'of_day',
    expectsNew: false,
  }),
);

/** The part that leaves the sums to SUM_GENERATIONS. */
const QUEUED = {
  parts: `queued as (
    insert into unsummed_generations (${SUMMED}) select ${SUMMED} from inserted returning 1
  )`,
  last: 'queued',
};

/** Records generations whose sums follow later (ADR 0100). An answer waits for it. */
export const APPEND_GENERATIONS = prepared(
  'sluice-append-generations',
  recording({ ...QUEUED, expectsNew: false }),
);

/**
 * Does the same for new generations of apps whose ids are known. It lacks the last two values. It fails if a row
 * exists, and APPEND_GENERATIONS must follow. Looking for each row first would take a fifth of its time.
 */
export const APPEND_OF_KNOWN_APPS = prepared(
  'sluice-append-of-known-apps',
  recording({ ...QUEUED, expectsNew: true }),
);

/** The one row that the statements return that record generations. */
export const RECORDED = {
  /** The number of new rows. */
  added: int4,
  /** The apps whose ids were requested. */
  apps: json<{ origin: string; title: string; id: string }[]>().orNull,
  /** The workspaces with new log rows; null: none. */
  logged: uuids.orNull,
};
