import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { runVerifyLedger } from '../../admin/verify-ledger.ts';
import { createDatabase } from './open-database.ts';
import { createLedgerConnection } from '../../db/ledger/ledger-connection.ts';
import { createOutageDetector, type OutageDetector } from '../../db/postgres/outage-detector.ts';
import { createLogger, type Logger } from '../../platform/logger.ts';
import { type Metrics, NO_METRICS } from '../../platform/metrics.ts';
import { createLedger } from '../../services/ledger/create-ledger.ts';
import { createLedgerMetrics } from '../../services/ledger/ledger-metrics.ts';
import type { Ledger } from '../../services/ledger/ledger.ts';
import { createSpool } from '../../services/ledger/spool/spool.ts';
import { createTestDatabase } from './database.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

export interface LedgerOptions {
  /** Whether there is one, and how much it takes. */
  spool?: { maxBytes: number };
  maxWaiting?: number;
  shard?: number;
  metrics?: Metrics;
}

/** A Postgres that can be cut off, a folder for spools, and ledgers between them. */
export interface LedgerScene {
  /** The direct way. */
  databaseUrl: string;
  database: pg.Pool;
  proxy: TcpProxy;
  spoolFolder: string;
  /** What was logged as an error. */
  errors: Record<string, unknown>[];
  logger: Logger;
  /** Detects outages of the way that can be cut. */
  detector: OutageDetector;
  open(options?: LedgerOptions): Promise<Ledger>;
  /** How often each id is in the ledger. */
  timesRecorded(ids: string[]): Promise<number[]>;
  /** What `verify-ledger` prints, which ends with its verdict. */
  verify(): Promise<string>;
  close(): Promise<void>;
}

const SILENCE_MS = 1_000;

export async function openLedgerScene(): Promise<LedgerScene> {
  const testDatabase = await createTestDatabase();
  const database = new pg.Pool({ connectionString: testDatabase.url });
  // Dropping the database may overtake the end of a connection, which then hears of it.
  database.on('error', () => {});
  const proxy = await startTcpProxy(testDatabase.url);
  const spoolFolder = await mkdtemp(path.join(tmpdir(), 'sluice-spool-'));
  const errors: Record<string, unknown>[] = [];
  const destination = {
    write: (line: string) => void errors.push(JSON.parse(line) as Record<string, unknown>),
  };
  const logger = createLogger({ level: 'error', name: 'test', destination });
  const ledgers: Ledger[] = [];
  const url = proxy.through(testDatabase.url);
  const detector = createOutageDetector({ url, logger });
  return {
    detector,
    databaseUrl: testDatabase.url,
    database,
    proxy,
    spoolFolder,
    errors,
    logger,
    async open({ spool, maxWaiting, shard = 0, metrics = NO_METRICS } = {}) {
      const ledger = createLedger({
        connect: () => createLedgerConnection({ url, shard, silenceMs: SILENCE_MS }),
        detector,
        spool: spool && (await createSpool({ directory: spoolFolder, ...spool })),
        metrics: createLedgerMetrics(metrics),
        logger,
        ...(maxWaiting === undefined ? {} : { maxWaiting }),
      });
      ledgers.push(ledger);
      return ledger;
    },
    async timesRecorded(ids) {
      const { rows } = await database.query<{ n: number }>(
        `select count(g.id)::integer n from unnest($1::text[]) with ordinality w (id, place)
         left join generations g using (id) group by w.id, w.place order by w.place`,
        [ids],
      );
      return rows.map(({ n }) => n);
    },
    async verify() {
      const { knex, close } = createDatabase({ url: testDatabase.url, poolMax: 1 });
      return (await runVerifyLedger(knex).finally(close)).text;
    },
    async close() {
      await proxy.restore();
      for (const ledger of ledgers) await ledger.close();
      await detector.close();
      await proxy.close();
      await database.end();
      await testDatabase.drop();
      await rm(spoolFolder, { recursive: true, force: true });
    },
  };
}
