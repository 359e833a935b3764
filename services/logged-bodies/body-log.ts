import { Readable } from 'node:stream';
import type { LoggedBodyRow, LoggedBodyStore } from '../../db/logged-body-store.ts';
import { timestampOfId } from '../../domain/ids.ts';
import type { LoggedBody } from '../../domain/logged-body.ts';
import type { Encryption } from '../../platform/encryption.ts';
import type { Logger } from '../../platform/logger.ts';
import type { ObjectStore } from '../../platform/object-store.ts';
import { createDeadline } from '../../platform/outbound-deadline.ts';
import { createLossReport } from './loss-report.ts';
import { sealBody } from './sealed-body.ts';
import { withoutEmbeddedMedia } from './without-media.ts';

/** What is asked to be kept, by its place. */
export interface LoggedGeneration {
  id: string;
  organizationId: string;
  workspaceId: string;
}

/**
 * Stores what workspaces want logged, behind the answers. What cannot be stored is given up, counted and told in the
 * log: neither a slow object store nor a full queue is ever felt by a caller.
 */
export interface BodyLog {
  /** Never waits and never throws. `compose` is called soon, but not before the caller's answer is on its way. */
  keep(generation: LoggedGeneration, compose: () => LoggedBody): void;
  /** Takes nothing more; waits for what is under way, though not for ever. */
  close(): Promise<void>;
}

export interface BodyLogOptions {
  store: Pick<LoggedBodyStore, 'insert'>;
  objectStore: Pick<ObjectStore, 'put'>;
  encryption: Pick<Encryption, 'seal'>;
  retentionMs: number;
  logger: Pick<Logger, 'error'>;
}

/** At any time, with those being written. */
const MAX_BODIES = 1_000;
const MAX_CHARACTERS = 32 * 1024 ** 2;
/** One statement notes as many. */
const BATCH = 32;
const CONCURRENT_PUTS = 8;
/** Far below the shortest retention: an object that arrives late is still removed. */
const PUT_TIMEOUT_MS = 30_000;
const CLOSE_TIMEOUT_MS = 5_000;

interface WaitingBody extends LoggedBodyRow {
  json: string;
}

export function createBodyLog(options: BodyLogOptions): BodyLog {
  const losses = createLossReport(options.logger);
  const asked: [LoggedGeneration, () => LoggedBody][] = [];
  const waiting: WaitingBody[] = [];
  /** Of all that was rendered and is not written or given up yet. */
  let bodies = 0;
  let characters = 0;
  let rendering: NodeJS.Immediate | undefined;
  let writing: Promise<void> | undefined;
  let isClosed = false;

  const renderFirst = (): void => {
    const first = asked.shift();
    if (first === undefined) return;
    try {
      enqueue(render(...first));
    } catch (error) {
      losses.add(1, error);
    }
  };

  // One body a turn: a large one must not hold up answers for longer than it takes itself.
  const renderNext = (): void => {
    renderFirst();
    rendering = asked.length > 0 ? setImmediate(renderNext) : undefined;
  };

  const enqueue = (body: WaitingBody): void => {
    if (bodies >= MAX_BODIES || characters + body.json.length > MAX_CHARACTERS) throw new QueueFullError();
    bodies += 1;
    characters += body.json.length;
    waiting.push(body);
    writing ??= writeAll();
  };

  const writeAll = async (): Promise<void> => {
    for (let batch = waiting.splice(0, BATCH); batch.length > 0; batch = waiting.splice(0, BATCH)) {
      const sizes = batch.map(({ json }) => json.length);
      await writeBatch(options, batch, losses);
      bodies -= sizes.length;
      characters -= sizes.reduce((sum, size) => sum + size, 0);
    }
    // In the same turn in which nothing waited any more: what comes next begins anew.
    writing = undefined;
  };

  return {
    keep(generation, compose) {
      if (isClosed || asked.length >= MAX_BODIES) {
        losses.add(1, new QueueFullError());
        return;
      }
      asked.push([generation, compose]);
      rendering ??= setImmediate(renderNext);
    },
    async close() {
      isClosed = true;
      clearImmediate(rendering);
      while (asked.length > 0) renderFirst();
      const deadline = createDeadline(CLOSE_TIMEOUT_MS);
      await deadline.limit(writing ?? Promise.resolve()).catch((error: unknown) => losses.add(bodies, error));
      deadline.clear();
      losses.flush();
    },
  };
}

class QueueFullError extends Error {
  constructor() {
    super('too many inputs and outputs wait to be stored');
    this.name = 'QueueFullError';
  }
}

function render(
  { id: generationId, organizationId, workspaceId }: LoggedGeneration,
  compose: () => LoggedBody,
): WaitingBody {
  const day = new Date(timestampOfId(generationId)).toISOString().slice(0, 10);
  const objectKey = `logged/${workspaceId}/${day}/${generationId}`;
  const json = withoutEmbeddedMedia(JSON.stringify(compose()));
  return { generationId, organizationId, workspaceId, objectKey, json };
}

/** The rows go first: an object that nobody knows of would never be removed. */
async function writeBatch(
  options: BodyLogOptions,
  batch: WaitingBody[],
  losses: Pick<ReturnType<typeof createLossReport>, 'add'>,
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
