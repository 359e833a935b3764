/** Writes batches of generations to the ledger over one connection, which reconnects after failures. */
import type pg from 'pg';
import type { GenerationRecord } from '../../domain/ledger/generation.ts';
import { createAppAllowance, type UnknownKey } from '../../domain/ledger/app-allowance.ts';
import { isSentByPostgres } from '../postgres/outage.ts';
import type { Query, QueryResult } from '../postgres/handle.ts';
import { bool } from '../postgres/shape.ts';
import { createSession } from '../postgres/session.ts';
import { rowsOf, run, withValues } from '../postgres/statement.ts';
import { appKey, encodeGenerations, keyOfApp } from './ledger-rows.ts';
import { SUM_GENERATIONS, SUMMED_ROWS } from './ledger-sums.ts';
import {
  APPEND_GENERATIONS,
  APPEND_OF_KNOWN_APPS,
  RECORD_GENERATIONS,
  RECORDED,
} from './ledger-statement.ts';

export interface LedgerConnectionOptions {
  /** The URL of Postgres itself: prepared statements need a session, which a transaction pooler does not provide. */
  url: string;
  /** The shard of the counters that this process writes. */
  shard: number;
  /**
   * The longest time to wait for an answer of Postgres. After that the connection is replaced, and the effect of the
   * statement is unknown.
   */
  silenceMs: number;
}

export interface RejectedGeneration {
  generationId: string;
  record: string;
  error: string;
}

/** The ledger's own connection to Postgres. It opens at the first statement, and again after each failure. */
export interface LedgerConnection {
  /**
   * Adds new generations in one statement. Existing ones are not added again. Counters and rollups get them in the same
   * statement, or by a `sum` if `isSummedLater`. Returns the ids of the workspaces with new rows in their broadcast
   * log.
   */
  record(generations: readonly GenerationRecord[], isSummedLater?: boolean): Promise<string[]>;
  /**
   * Moves about `most` generations of all processes into counters and rollups, in one statement. Returns how many it
   * moved, and whether others waited.
   */
  sum(most: number): Promise<{ moved: number; hasMore: boolean }>;
  /** Creates the ledger's partition for each of these moments, and the current partitions of the broadcast log. */
  ensurePartitions(moments: readonly Date[]): Promise<void>;
  /** Returns whether generations of the day of any of these moments were dropped after their retention. */
  hasDropped(moments: readonly Date[]): Promise<boolean>;
  reject(rejected: RejectedGeneration): Promise<void>;
  /** Resolves when Postgres answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The largest number of cached app ids. When it is exceeded, the cache is cleared. */
const MAX_CACHED_APPS = 10_000;

export function createLedgerConnection(options: LedgerConnectionOptions): LedgerConnection {
  const session = createReplacedSession(options);
  const write = (statement: ReturnType<typeof withValues>) => rowsOf(session, RECORDED, statement);
  const apps = new Map<string, string>();
  const allowance = createAppAllowance();
  const unknownKey: UnknownKey = (app) => {
    const key = keyOfApp(app);
    return apps.has(key) ? undefined : key;
  };

  /** Writes values, whose last two are the apps to make. Expects new rows, unless an app is to be made. */
  const append = async (values: ReturnType<typeof encodeGenerations>) => {
    const tolerant = withValues(APPEND_GENERATIONS, values);
    if ((values.at(-1) as string[]).length > 0) return write(tolerant);
    return write(withValues(APPEND_OF_KNOWN_APPS, values.slice(0, -2))).catch((error: unknown) => {
      // A row exists, as after an answer that was lost. Nothing of this statement was written.
      if (!isRepetition(error)) throw error;
      return write(tolerant);
    });
  };

  return {
    async record(generations, isSummedLater = false) {
      const allowed = allowance.within(generations, unknownKey);
      const values = encodeGenerations(allowed, options.shard, apps);
      const [row] = await (isSummedLater ? append(values) : write(withValues(RECORD_GENERATIONS, values)));
      const logged = row?.logged ?? [];
      if (row?.apps == null) return logged;
      allowance.charge(allowed, unknownKey);
      if (apps.size + row.apps.length > MAX_CACHED_APPS) apps.clear();
      for (const { origin, title, id } of row.apps) apps.set(appKey(origin, title), id);
      return logged;
    },
    async sum(most) {
      const [row] = await rowsOf(session, SUMMED_ROWS, SUM_GENERATIONS, { shard: options.shard, most });
      return row!;
    },
    async ensurePartitions(moments) {
      const statement =
        'select ensure_ledger_partition(day) from unnest(:moments::timestamptz[]) days (day) order by day';
      await run(session, statement, { moments });
      await run(session, 'select ensure_broadcast_partitions(1)');
    },
    async hasDropped(moments) {
      const statement = `select exists (select from dropped_generations where created_on in (
        select (moment at time zone 'UTC')::date from unnest(:moments::timestamptz[]) m (moment))) "hasDropped"`;
      const [row] = await rowsOf(session, { hasDropped: bool }, statement, { moments });
      return row!.hasDropped;
    },
    async reject(rejected) {
      const statement = `insert into generation_rejects (generation_id, record, error)
        values (:generationId, :record, :error) on conflict do nothing`;
      await run(session, statement, { ...rejected });
    },
    async ping() {
      await run(session, 'select');
    },
    close: () => session.close(),
  };
}

/** Returns whether a row exists already (SQLSTATE 23505). */
function isRepetition(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === '23505';
}

interface Session {
  client: pg.Client;
  ready: Promise<void>;
}

/** Resolves when the client is connected. The driver's own promise never settles if the client is ended before that. */
function connected(client: pg.Client): Promise<void> {
  return new Promise((resolve, reject) => {
    client.once('end', () => reject(new Error('the connection of the ledger ended')));
    client.connect().then(() => resolve(), reject);
  });
}

/** Keeps one session and replaces it when it fails. */
function createReplacedSession({ url, silenceMs }: LedgerConnectionOptions) {
  let current: Session | undefined;
  let isClosed = false;

  const drop = (session: Session): void => {
    if (current === session) current = undefined;
    session.client.end().catch(() => {});
  };
  const open = (): Session => {
    const client = createSession({
      url,
      applicationName: 'sluice-ledger',
      connectMs: silenceMs,
      statementMs: silenceMs,
      silenceMs,
    });
    const session = { client, ready: connected(client) };
    client.on('error', () => drop(session));
    client.on('end', () => drop(session));
    return session;
  };

  return {
    async query(query: Query): Promise<QueryResult> {
      if (isClosed) throw new Error('the connection of the ledger is closed');
      const session = (current ??= open());
      try {
        await session.ready;
        return await session.client.query(query);
      } catch (error) {
        if (!isSentByPostgres(error)) drop(session);
        throw error;
      }
    },
    async close(): Promise<void> {
      isClosed = true;
      const session = current;
      current = undefined;
      await session?.client.end().catch(() => {});
    },
  };
}
