import { createLedgerConnection } from '../../db/ledger-connection.ts';
import type { Logger } from '../../platform/logger.ts';
import { createLedger } from './create-ledger.ts';
import type { Ledger } from './ledger.ts';
import { createSpool } from './spool.ts';

export interface OpenLedgerOptions {
  /** Of Postgres, past a transaction pooler. */
  url: string;
  spool?: { directory: string; maxBytes: number } | undefined;
  shard: number;
  logger: Logger;
}

/** A batch that takes longer than this is taken for lost, and goes to the spool. */
const SILENCE_MS = 5_000;

/** The ledger of this process. Rejects when the spool's directory cannot be made or written. */
export async function openLedger({ url, spool, shard, logger }: OpenLedgerOptions): Promise<Ledger> {
  return createLedger({
    connect: () => createLedgerConnection({ url, shard, silenceMs: SILENCE_MS }),
    spool: spool && (await createSpool(spool)),
    logger,
  });
}
