import { appendFileSync } from 'node:fs';
import { createOutageDetector } from '../../db/postgres/outage-detector.ts';
import { openLedger } from '../../services/ledger/open-ledger.ts';
import { createLogger } from '../../platform/logger.ts';
import { NO_METRICS } from '../../platform/metrics.ts';
import { shardOfProcess } from '../../domain/shard.ts';
import type { LedgerLoad } from './ledger-processes.ts';
import { makeGeneration } from './make-generation.ts';

/**
 * A process that records generations as fast as it can and notes each one that was acknowledged, to be killed;
 * ledger-processes.ts starts it. A note is in the hands of the system when the write returns, and outlives the
 * process. Argument: the load, as JSON.
 */
const load = JSON.parse(process.argv[2] ?? '') as LedgerLoad;
const logger = createLogger({ level: 'fatal', name: 'test' });
const shard = load.shard ?? shardOfProcess('test', process.pid);
const { url, spool } = load;
const detector = createOutageDetector({ url, logger });
const ledger = await openLedger({ url, detector, spool, shard, metrics: NO_METRICS, logger });
let left = load.count;

const payers = load.payers.map(({ organizationId, workspaceId, keyId }) => ({
  organizationId,
  workspaceId,
  keyId,
}));

async function call(): Promise<void> {
  while (left > 0) {
    left -= 1;
    // Half of all traffic is one key's.
    const payer = payers[Math.random() < 0.5 ? 0 : Math.floor(Math.random() * payers.length)]!;
    const generation = makeGeneration({
      ...payer,
      model: `model/${Math.floor(Math.random() * 5)}`,
      isByok: Math.random() < 0.2,
      costNanos: BigInt(Math.floor(Math.random() * 1_000_000)),
      app: { origin: `https://${Math.floor(Math.random() * 20)}.example`, title: null },
    });
    try {
      ledger.requireOpen();
      await ledger.record(generation);
    } catch {
      // Refused, as its caller would be: not acknowledged.
      await new Promise((resolve) => setTimeout(resolve, 20));
      continue;
    }
    appendFileSync(load.notes, `${generation.id}\n`);
  }
}

process.send?.('started');
await Promise.all(Array.from({ length: load.callers }, call));
await ledger.close();
process.disconnect?.();
