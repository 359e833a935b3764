/** Defines the connections, caches and clients from which the API's services are created. */
import type { Connection } from '@temporalio/client';
import type { Handle } from '../db/postgres/connection.ts';
import type { Config } from '../platform/config.ts';
import type { Encryption } from '../platform/encryption.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { ObjectStore } from '../platform/object-store.ts';
import type { OutboundGuard } from '../platform/outbound-guard.ts';
import type { UnknownKeys } from '../services/accounts/identity/unknown-keys.ts';
import type { Nudger } from '../services/broadcast/nudger.ts';
import type { EgressLog } from '../services/interns/egress/egress-log.ts';
import type { JobStarter } from '../services/videos/starter.ts';
import type { Ledger } from '../services/ledger/ledger.ts';
import type { BodyLog } from '../services/ledger/bodies/body-log.ts';
import type { ModelStatistics } from '../services/catalog/statistics/model-statistics.ts';
import type { LiveProviders } from '../services/routing/live-providers.ts';
import type { RunStarter } from '../services/runs/run-starter.ts';
import type { LiveSpending } from '../services/ledger/spending/create-spending.ts';
import type { LiveMemory } from './live-memory.ts';
import type { ProcessShare } from './process-share.ts';

/** The parts that all services are built from, once per process. */
export interface ServiceParts {
  config: Config;
  share: ProcessShare;
  logger: Logger;
  metrics: Metrics;
  knex: Handle;
  /** A small separate pool, optionally of a replica, so that long queries do not delay others. */
  heavyReads: Handle;
  unknownKeys: UnknownKeys;
  guard: OutboundGuard;
  /** Sends the requests of interns, by https on port 443 only, except for hosts that the operator allows. */
  egressGuard: OutboundGuard;
  egressLog: EgressLog;
  connection: Connection;
  runs: RunStarter;
  memory: LiveMemory;
  modelStatistics: ModelStatistics;
  providers: LiveProviders;
  starter: JobStarter;
  spending: LiveSpending;
  ledger: Ledger;
  objectStore: ObjectStore;
  encryption: Encryption;
  bodies: BodyLog;
  nudger: Nudger;
  /** Aborted when the process begins to stop. */
  stopping: AbortSignal;
}
