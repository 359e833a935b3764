/** Commits a batch of generations to Postgres, and puts those that Postgres refuses into a table of rejects. */
import type { LedgerConnection } from '../../db/ledger/ledger-connection.ts';
import { isMissingPartition } from '../../db/ledger/ledger-store.ts';
import type { GenerationRecord } from '../../domain/ledger/generation.ts';
import { timestampOfId } from '../../domain/ids.ts';
import type { Logger } from '../../platform/logger.ts';
import { toJson } from './spool/spool-record.ts';

export interface WriteDeps {
  connection: Pick<LedgerConnection, 'record' | 'ensurePartitions' | 'hasDropped' | 'reject'>;
  /** Returns whether counters and rollups may get the rows later. Absent: they get them at once. */
  isSummedLater?: (() => boolean) | undefined;
  /** True: the rows may have been written days ago. Rows of a day that was dropped since then are refused. */
  isReplay?: boolean;
  /** Called after a commit with the workspaces whose broadcast log has new rows. It must not wait or throw. */
  onLogged?: ((workspaceIds: readonly string[]) => void) | undefined;
  logger: Pick<Logger, 'warn' | 'error'>;
}

/**
 * The number of attempts when two batches conflict. A few retries are enough, because one of the two batches always
 * succeeds.
 */
const MAX_ATTEMPTS = 10;

/** The reason in the table of rejects. Without the rows of its day, nothing shows whether a generation was counted. */
const DAY_DROPPED =
  'the generations of its day were dropped, so it may have been counted before; replay it to count it in any case';

/**
 * Writes each generation once, even when called again with the same ones. Puts a row whose values Postgres refuses into
 * the table of rejects, and writes the others. Throws every other error. The outcome is then unknown, and the caller
 * may repeat the call.
 */
export async function writeBatch(deps: WriteDeps, generations: readonly GenerationRecord[]): Promise<void> {
  try {
    await record(deps, generations);
  } catch (error) {
    if (!isFaultOfRows(error)) throw error;
    const [only] = generations;
    if (only !== undefined && generations.length === 1) return reject(deps, only, error);
    const half = Math.ceil(generations.length / 2);
    await writeBatch(deps, generations.slice(0, half));
    await writeBatch(deps, generations.slice(half));
  }
}

async function record(
  { connection, isSummedLater, isReplay, onLogged, logger }: WriteDeps,
  generations: readonly GenerationRecord[],
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const logged = await connection.record(generations, isSummedLater?.());
      if (logged.length > 0) onLogged?.(logged);
      return;
    } catch (error) {
      if (attempt === MAX_ATTEMPTS) throw error;
      if (isMissingPartition(error)) {
        const moments = generations.map(({ id }) => new Date(timestampOfId(id)));
        if (isReplay === true && (await connection.hasDropped(moments))) throw new RangeError(DAY_DROPPED);
        await connection.ensurePartitions(moments);
      } else if (isContention(error)) {
        logger.warn({ err: error, attempt }, 'a ledger batch conflicted with another one; it is retried');
      } else throw error;
    }
  }
}

/**
 * Puts a generation into the table of rejects. Postgres refused it when it was alone in its batch, so an operator has
 * to inspect it.
 */
async function reject(
  { connection, logger }: WriteDeps,
  generation: GenerationRecord,
  error: unknown,
): Promise<void> {
  const { id, organizationId } = generation;
  logger.error(
    { err: error, generationId: id, organizationId },
    'a generation cannot be recorded and is not billed; see the table generation_rejects',
  );
  await connection.reject({
    generationId: id.replaceAll('\u0000', ''),
    record: toJson(generation),
    error: error instanceof Error ? error.message.replaceAll('\u0000', '') : String(error),
  });
}

/** SQLSTATE codes of a serialization failure, a deadlock and an unavailable lock. */
const CONTENTION = new Set(['40001', '40P01', '55P03']);

function isContention(error: unknown): boolean {
  return CONTENTION.has(codeOf(error));
}

/**
 * Returns whether the values of a row are at fault. SQLSTATE classes 22 and 23 are about values, and 54000 about a
 * value too large for an index. A row that cannot be encoded throws a TypeError or RangeError. Any other error, such as
 * a missing column, would refuse every row, so the ledger waits until it ends.
 */
export function isFaultOfRows(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError) return true;
  return /^(2[23][0-9A-Z]{3}|54000)$/.test(codeOf(error)) && !isMissingPartition(error);
}

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}
