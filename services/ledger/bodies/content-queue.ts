/** Queues, compresses and encrypts the prompts and answers that observability destinations will receive. */
import type { BodyRow, BroadcastBodyStore } from '../../../db/broadcast/body-store.ts';
import type { BroadcastContent } from '../../../domain/broadcast/event.ts';
import type { Encryption } from '../../../platform/encryption.ts';
import type { Logger } from '../../../platform/logger.ts';
import { compressContent, lengthOf, type RenderedContent, renderContent } from './fit-content.ts';
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

interface WaitingContent extends ForwardedGeneration {
  rendered: RenderedContent;
}

/** Stores prompts and answers where the destinations' pumps find them. */
export function createContentQueue(options: ContentQueueOptions) {
  const losses = createLossReport(options.logger, 'prompts and answers do not reach destinations');
  const queue = createBodyQueue<WaitingContent>({
    losses,
    gatherMs: GATHER_MS,
    lengthOf: ({ rendered }) => lengthOf(rendered),
    async write(batch) {
      try {
        const rows: BodyRow[] = [];
        for (const content of batch) rows.push(await toRow(options, content));
        await options.contents.insert(rows);
      } catch (error) {
        losses.add(batch.length, error);
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

async function toRow(
  { encryption }: ContentQueueOptions,
  { id, settledAt, rendered }: WaitingContent,
): Promise<BodyRow> {
  const { bytes, size } = await compressContent(rendered);
  const sealed = Buffer.from(sealContent(encryption, 'broadcast_bodies', id, bytes), 'latin1');
  return { generationId: id, settledAt, size, sealed };
}
