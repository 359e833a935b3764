/** Queues, compresses and encrypts the prompts and answers that observability destinations will receive. */
import { setTimeout as delay } from 'node:timers/promises';
import type { BodyRow, BroadcastBodyStore } from '../../../db/broadcast/body-store.ts';
import type { BroadcastContent } from '../../../domain/broadcast/event.ts';
import type { Encryption } from '../../../platform/encryption.ts';
import type { Logger } from '../../../platform/logger.ts';
import { compressContent, lengthOf, type RenderedContent, renderContent } from './fit-content.ts';
import { isFaultOfRows } from '../write-batch.ts';
import { sealContent } from './sealed-content.ts';
import { createBodyQueue } from './body-queue.ts';
import { createLossReport } from './loss-report.ts';

/** A generation whose prompt and answer at least one destination needs. */
export interface ForwardedGeneration {
  id: string;
  /** The ledger's time of settlement. */
  settledAt: Date;
}

export interface ContentQueueOptions {
  contents: Pick<BroadcastBodyStore, 'insert'>;
  encryption: Pick<Encryption, 'seal'>;
  logger: Pick<Logger, 'error'>;
}

/**
 * The time for which bodies are collected, so that one statement inserts several. The pumps look for a generation only
 * after this time.
 */
const GATHER_MS = 100;

/** The largest number of bodies that wait: the traffic of some seconds, whose short bodies leave memory free. */
const MAX_BODIES = 10_000;

/** The pause before a batch is inserted again. It is much shorter than the wait of a pump for content. */
const RETRY_MS = 250;

interface WaitingContent extends ForwardedGeneration {
  rendered: RenderedContent;
}

/**
 * Stores prompts and answers where the destinations' pumps find them. During an outage of Postgres they wait in the
 * queue, as far as it has room.
 */
export function createContentQueue(options: ContentQueueOptions) {
  const losses = createLossReport(options.logger, 'prompts and answers do not reach destinations');
  const queue = createBodyQueue<WaitingContent>({
    losses,
    maxBodies: MAX_BODIES,
    gatherMs: GATHER_MS,
    lengthOf: ({ rendered }) => lengthOf(rendered),
    async write(batch, signal) {
      const rows: BodyRow[] = [];
      try {
        for (const content of batch) rows.push(await toRow(options, content));
        await insert(options.contents, rows, signal);
      } catch (error) {
        if (!signal.aborted) losses.add(batch.length, error);
      }
    },
  });
  return {
    add(generation: ForwardedGeneration, compose: () => BroadcastContent): void {
      queue.add(() => ({ ...generation, rendered: renderContent(compose()) }));
    },
    close: queue.close,
  };
}

/**
 * Inserts rows, and repeats that until Postgres takes them. The ledger waits in the same way, so a pump does not know
 * of these generations before. Throws if the rows are at fault, and when the signal aborts.
 */
async function insert(
  contents: ContentQueueOptions['contents'],
  rows: readonly BodyRow[],
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      return await contents.insert(rows);
    } catch (error) {
      if (isFaultOfRows(error) || signal.aborted) throw error;
    }
    await delay(RETRY_MS, undefined, { signal });
  }
}

async function toRow(
  { encryption }: ContentQueueOptions,
  { id, settledAt, rendered }: WaitingContent,
): Promise<BodyRow> {
  const { bytes, size } = await compressContent(rendered);
  const sealed = Buffer.from(sealContent(encryption, 'broadcast_bodies', id, bytes), 'latin1');
  return { generationId: id, settledAt, size, sealed };
}
