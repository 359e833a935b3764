import pg from 'pg';
import { type BroadcastBodyStore, createBroadcastBodyStore } from '../../db/broadcast/body-store.ts';
import { createHeadStore } from '../../db/broadcast/head-store.ts';
import { createDestinationStore } from '../../db/broadcast/destination-store.ts';
import { createLogReadModel } from '../../db/broadcast/log-read-model.ts';
import { createWakeStore } from '../../db/broadcast/wake-store.ts';
import { createDatabase, type Handle } from './open-database.ts';
import { createLedgerConnection } from '../../db/ledger/ledger-connection.ts';
import { createLedgerStore } from '../../db/ledger/ledger-store.ts';
import type { DestinationConfig } from '../../domain/broadcast/destination-config.ts';
import type { BroadcastContent } from '../../domain/broadcast/event.ts';
import type { DestinationEvent } from '../../domain/broadcast/destination-event.ts';
import type { DestinationSettings } from '../../domain/broadcast/destination.ts';
import type { GenerationRecord } from '../../domain/ledger/generation.ts';
import { newUuid } from '../../domain/ids.ts';
import { createEncryption, type Encryption } from '../../platform/encryption.ts';
import { LAPTOP_ENCRYPTION_KEYS, parseEncryptionKeys } from '../../platform/encryption-keys.ts';
import { createOutboundGuard, type OutboundGuard } from '../../platform/outbound-guard.ts';
import { createContentRoom } from '../../services/broadcast/content/content-room.ts';
import { type ContentDeps, createContentSource } from '../../services/broadcast/pump/content-source.ts';
import { createDestinationWatch } from '../../services/broadcast/pump/destination-watch.ts';
import { createFindDestination } from '../../services/broadcast/pump/open-destination.ts';
import { createLogWatch } from '../../services/broadcast/pump/log-watch.ts';
import type {
  PumpDeps,
  PumpReport,
  PumpResult,
  PumpTimes,
} from '../../services/broadcast/pump/pump-types.ts';
import { createTurns } from '../../services/broadcast/pump/turns.ts';
import { runPump } from '../../services/broadcast/pump/run-pump.ts';
import { sealConfig } from '../../services/broadcast/sealed-config.ts';
import { traceEncoder } from '../../services/broadcast/otlp/trace-encoder.ts';
import { createContentQueue } from '../../services/ledger/bodies/content-queue.ts';
import { createTestDatabase } from './database.ts';
import { makeGeneration } from './make-generation.ts';

export interface Place {
  organizationId: string;
  workspaceId: string;
}

/** A ledger, a log, and pumps without Temporal. */
export interface BroadcastScene {
  knex: Handle;
  database: pg.Pool;
  contentDeps: ContentDeps;
  deps: PumpDeps;
  /** What was told about destinations. */
  events: DestinationEvent[];
  addWorkspace(): Promise<Place>;
  addDestination(
    place: Place,
    config: DestinationConfig,
    change?: Partial<DestinationSettings>,
  ): Promise<string>;
  /** Records that many generations of the workspace, in one batch. Returns their ids. */
  record(place: Place, count: number, change?: Partial<GenerationRecord>, shard?: number): Promise<string[]>;
  /** Stores the content of generations, as the process that answered them does. */
  addContent(ids: readonly string[], content: BroadcastContent): Promise<void>;
  /** Runs a pump until it ends. It ends soon when there is nothing to do. */
  pump(
    destinationId: string,
    change?: Partial<PumpDeps & PumpTimes> & {
      stop?: AbortSignal;
      report?: (doing: string, now: PumpReport) => void;
    },
  ): Promise<PumpResult>;
  progress(destinationId: string): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

const TIMES: PumpTimes = {
  runMs: 60_000,
  turnMs: 60_000,
  idleMs: 0,
  checkMs: 50,
  paceMs: 0,
  contentWaitMs: 0,
  contentPollMs: 20,
  lateContentMs: 0,
};

export async function openBroadcastScene(): Promise<BroadcastScene> {
  const testDatabase = await createTestDatabase();
  const { knex, close } = createDatabase({ url: testDatabase.url, poolMax: 20 });
  const pool = new pg.Pool({ connectionString: testDatabase.url });
  pool.on('error', () => {});
  await createLedgerStore(knex).ensurePartition(new Date());
  const encryption = createEncryption(parseEncryptionKeys(LAPTOP_ENCRYPTION_KEYS));
  const guard = createOutboundGuard({ allow: ['127.0.0.0/8'] });
  const events: DestinationEvent[] = [];
  const bodies = createBroadcastBodyStore(knex);
  const contentDeps = { store: bodies, encryption, room: createContentRoom(), now: Date.now };
  const deps = createPumpDeps(knex, guard, contentDeps, events);
  return {
    knex,
    database: pool,
    contentDeps,
    deps,
    events,
    addWorkspace: () => addWorkspace(pool),
    addDestination: (place, config, change) => addDestination({ knex, encryption }, place, config, change),
    record: (place, count, change = {}, shard = 0) =>
      record(testDatabase.url, shard, count, { ...place, ...change }),
    addContent: (ids, body) => addContent(pool, contentDeps, ids, body),
    pump(destinationId, { stop = new AbortController().signal, report = () => {}, ...change } = {}) {
      const signals = {
        stopRequested: stop,
        cut: new AbortController().signal,
        report: (now: PumpReport) => report(now.doing, now),
      };
      return runPump({ ...deps, ...change }, destinationId, { ...TIMES, ...change }, signals);
    },
    progress: (destinationId) => readProgress(pool, destinationId),
    async close() {
      await guard.close();
      await close();
      await pool.end();
      await testDatabase.drop();
    },
  };
}

function createPumpDeps(
  knex: Handle,
  guard: OutboundGuard,
  contentDeps: ContentDeps,
  events: DestinationEvent[],
): PumpDeps {
  const { encryption, now } = contentDeps;
  const content = createContentSource(contentDeps);
  return {
    knex,
    logWatch: createLogWatch(createLogReadModel(knex), 20),
    findDestination: createFindDestination(knex, {
      encryption,
      send: { guard, encoder: traceEncoder, timeoutMs: 10_000, now },
    }),
    writeEvent: async (_, event) => void events.push(event),
    content,
    sealContent: content.seal,
    turns: createTurns({ store: createWakeStore(knex), now }),
    destinationWatch: createDestinationWatch(createWakeStore(knex), 20),
    wakeNext: () => {},
    now,
  };
}

async function record(
  url: string,
  shard: number,
  count: number,
  facts: Partial<GenerationRecord>,
): Promise<string[]> {
  const generations = Array.from({ length: count }, () => makeGeneration(facts));
  const connection = createLedgerConnection({ url, shard, silenceMs: 5_000 });
  await connection.record(generations).finally(() => connection.close());
  return generations.map(({ id }) => id).sort();
}

async function addWorkspace(pool: pg.Pool): Promise<Place> {
  const place = { organizationId: newUuid(), workspaceId: newUuid() };
  await pool.query(`insert into organizations (id, name) values ($1, 'O')`, [place.organizationId]);
  await pool.query(
    `insert into workspaces (id, organization_id, name, slug) values ($1, $2, 'W', 'w-' || left($1::uuid::text, 8))`,
    [place.workspaceId, place.organizationId],
  );
  return place;
}

async function addDestination(
  { knex, encryption }: { knex: Handle; encryption: Encryption },
  place: Place,
  config: DestinationConfig,
  change: Partial<DestinationSettings> = {},
): Promise<string> {
  const id = newUuid();
  await knex.transaction(async (transaction) => {
    const heads = createHeadStore(transaction);
    await createDestinationStore(transaction).insert({
      id,
      ...place,
      type: config.type,
      ...sealConfig(encryption, id, { type: config.type, config: { ...config.config } }),
      name: null,
      enabled: true,
      apiKeyHashes: null,
      regions: ['global', 'europe', 'us'],
      filterRules: null,
      samplingRate: 1,
      privacyMode: false,
      flags: {
        sendsCost: true,
        sendsCostAllocation: false,
        sendsIdentity: false,
        sendsRequestContext: false,
      },
      ...change,
    });
    await heads.startLogging(place.workspaceId);
    await heads.startCursors(id, place.workspaceId);
  });
  return id;
}

async function addContent(
  pool: pg.Pool,
  { store, encryption }: { store: BroadcastBodyStore; encryption: Encryption },
  ids: readonly string[],
  content: BroadcastContent,
): Promise<void> {
  const { rows } = await pool.query<{ id: string; settled_at: Date }>(
    'select id, settled_at from generations where id = any($1)',
    [ids],
  );
  const queue = createContentQueue({ contents: store, encryption, logger: { error: () => {} } });
  for (const { id, settled_at: settledAt } of rows) queue.add({ id, settledAt }, () => content);
  await queue.close();
}

async function readProgress(pool: pg.Pool, destinationId: string): Promise<Record<string, unknown>> {
  const { rows } = await pool.query<Record<string, unknown>>(
    `select state, failures, batch_failures, delivered::integer, rejected::integer, dead_letters::integer,
       without_content::integer, undecided::integer
     from broadcast_progress where destination_id = $1`,
    [destinationId],
  );
  return rows[0]!;
}

/** The ids of the generations in a body of OTLP as JSON, in their order. */
export function generationsIn(body: string): string[] {
  const { resourceSpans } = JSON.parse(body) as {
    resourceSpans: {
      scopeSpans: { spans: { attributes: { key: string; value: { stringValue?: string } }[] }[] }[];
    }[];
  };
  return resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    .map(
      ({ attributes }) =>
        attributes.find(({ key }) => key === 'sluice.generation.id')?.value.stringValue ?? '',
    );
}
