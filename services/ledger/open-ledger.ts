/** Connects the ledger of an API process to Postgres, its spool and its metrics. */
import { createLedgerConnection } from '../../db/ledger/ledger-connection.ts';
import type { OutageDetector } from '../../db/postgres/outage-detector.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { createLedger } from './create-ledger.ts';
import { createLedgerMetrics, meterSpool } from './ledger-metrics.ts';
import type { Ledger } from './ledger.ts';
import { createSpool, type Spool, type SpoolOptions } from './spool/spool.ts';
import type { WriteDeps } from './write-batch.ts';

export interface OpenLedgerOptions {
  /** The URL of Postgres itself, not of a transaction pooler. */
  url: string;
  detector: Pick<OutageDetector, 'run'>;
  spool?: SpoolOptions | undefined;
  shard: number;
  metrics: Metrics;
  /** Called as `onLogged` of WriteDeps. */
  onLogged?: WriteDeps['onLogged'];
  logger: Logger;
}

/** The time after which a batch without an answer counts as lost and is written to the spool. */
const SILENCE_MS = 5_000;

/** Opens the ledger of this process. Rejects when the spool's directory cannot be created or written. */
export async function openLedger(options: OpenLedgerOptions): Promise<Ledger> {
  const { url, detector, shard, metrics, logger } = options;
  return createLedger({
    connect: () => createLedgerConnection({ url, shard, silenceMs: SILENCE_MS }),
    detector,
    spool: options.spool && (await openSpool(options.spool, metrics)),
    metrics: createLedgerMetrics(metrics),
    onLogged: options.onLogged,
    logger,
  });
}

async function openSpool(options: SpoolOptions, metrics: Metrics): Promise<Spool> {
  const spool = await createSpool(options);
  meterSpool(metrics, spool, options.maxBytes);
  return spool;
}
