/** Logs the prompts and answers of generations in the background, without delaying any caller. */
import { Readable } from 'node:stream';
import type { BroadcastBodyStore } from '../../../db/broadcast/body-store.ts';
import type { LoggedBodyRow, LoggedBodyStore } from '../../../db/ledger/logged-body-store.ts';
import type { BroadcastContent } from '../../../domain/broadcast/event.ts';
import { timestampOfId } from '../../../domain/ids.ts';
import type { LoggedBody } from '../../../domain/ledger/logged-body.ts';
import type { Encryption } from '../../../platform/encryption.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { ObjectStore } from '../../../platform/object-store.ts';
import { createDeadline } from '../../../platform/outbound-deadline.ts';
import { createBodyQueue } from './body-queue.ts';
import { createContentQueue, type ForwardedGeneration } from './content-queue.ts';
import { createLossReport, type LossReport } from './loss-report.ts';
import { sealBody } from './sealed-body.ts';
import { withoutEmbeddedMedia } from './without-media.ts';

/** The ids of the generation whose body is logged. */
export interface LoggedGeneration {
  id: string;
  organizationId: string;
  workspaceId: string;
}

export interface BodyLogOptions {
  store: Pick<LoggedBodyStore, 'insert'>;
  contents: Pick<BroadcastBodyStore, 'insert'>;
  objectStore: Pick<ObjectStore, 'put'>;
  encryption: Pick<Encryption, 'seal'>;
  retentionMs: number;
  logger: Pick<Logger, 'error'>;
}

/** The largest number of bodies that wait for the object store. */
const MAX_BODIES = 1_000;
const CONCURRENT_PUTS = 8;
/**
 * The timeout of a put. It is far below the shortest retention, so that an object that arrives late is still removed.
 */
const PUT_TIMEOUT_MS = 30_000;

interface WaitingBody extends LoggedBodyRow {
  json: string;
}

/**
 * Stores prompts and answers after the callers got their answers, for workspaces that log or broadcast them. Bodies
 * that cannot be stored are dropped, and the log reports their number; those for destinations first wait for the end
 * of an outage. A slow object store, a slow Postgres or a full queue therefore never delays a caller. Logged and
 * broadcast bodies wait in separate queues, so that neither delays the other.
 */
export function createBodyLog(options: BodyLogOptions) {
  const losses = createLossReport(options.logger);
  const logged = createBodyQueue<WaitingBody>({
    losses,
    maxBodies: MAX_BODIES,
    lengthOf: ({ json }) => json.length,
    write: (batch) => writeBatch(options, batch, losses),
  });
  const forwarded = createContentQueue(options);
  return {
    /**
     * Queues a body; never waits and never throws. The queue calls `compose` soon, but not before the caller's answer
     * is on its way.
     */
    keep: (generation: LoggedGeneration, compose: () => LoggedBody): void =>
      logged.add(() => render(generation, compose)),
    /** Queues content for destinations, under the same rules as `keep`. */
    keepContent: (generation: ForwardedGeneration, compose: () => BroadcastContent): void =>
      forwarded.add(generation, compose),
    /** Refuses further bodies, and waits a limited time until the queued ones are stored. */
    async close(): Promise<void> {
      await Promise.all([logged.close(), forwarded.close()]);
    },
  };
}

export type BodyLog = ReturnType<typeof createBodyLog>;

function render(
  { id: generationId, organizationId, workspaceId }: LoggedGeneration,
  compose: () => LoggedBody,
): WaitingBody {
  const day = new Date(timestampOfId(generationId)).toISOString().slice(0, 10);
  const objectKey = `logged/${workspaceId}/${day}/${generationId}`;
  const json = withoutEmbeddedMedia(JSON.stringify(compose()));
  return { generationId, organizationId, workspaceId, objectKey, json };
}

/** Writes the rows before the objects, because an object without a row would never be removed. */
async function writeBatch(
  options: BodyLogOptions,
  batch: WaitingBody[],
  losses: Pick<LossReport, 'add'>,
): Promise<void> {
  try {
    await options.store.insert(batch, options.retentionMs);
  } catch (error) {
    losses.add(batch.length, error);
    return;
  }
  const putNext = async (): Promise<void> => {
    for (let body = batch.pop(); body !== undefined; body = batch.pop()) {
      await put(options, body).catch((error: unknown) => losses.add(1, error));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_PUTS }, putNext));
}

async function put({ encryption, objectStore }: BodyLogOptions, body: WaitingBody): Promise<void> {
  const sealed = await sealBody(encryption, body.generationId, body.json);
  const deadline = createDeadline(PUT_TIMEOUT_MS);
  try {
    const contentType = 'application/octet-stream';
    await deadline.limit(objectStore.put(body.objectKey, Readable.from([sealed]), { contentType }));
  } finally {
    deadline.clear();
  }
}
