/** Copies the generations of a spool file into Postgres after an outage. */
import { createReadStream } from 'node:fs';
import { unlink } from 'node:fs/promises';
import type { GenerationRecord } from '../../../domain/ledger/generation.ts';
import { isMissing, setSpoolAside, SpoolFileError, touchSpool } from './spool-files.ts';
import { parseSpoolLine } from './spool-record.ts';
import { type WriteDeps, writeBatch } from '../write-batch.ts';

const ROWS_PER_BATCH = 500;
/**
 * The longest line in characters, many times the length of a generation. A longer line is damaged and must not fill the
 * memory.
 */
const MAX_LINE_LENGTH = 4_000_000;

export interface Replayed {
  generations: number;
  /** The number of unreadable lines that a crash does not explain. */
  damaged: number;
  /** The path of the file that operators must inspect, because it has damaged lines or cannot be read. */
  keptAs?: string;
}

/**
 * Records the generations of a spool file and then removes the file. No process may still append to it. A record that a
 * crash cut off at the end was never acknowledged. A record of a day that was dropped becomes a reject. Throws
 * SpoolFileError, also for a missing file, and any error of Postgres. The next call then writes all rows again, and
 * each counts once.
 */
export async function replaySpool(deps: WriteDeps, file: string): Promise<Replayed> {
  let generations = 0;
  let damaged = 0;
  let torn = 0;
  let batch: GenerationRecord[] = [];
  const flush = async (): Promise<void> => {
    await writeBatch({ ...deps, isReplay: true }, batch);
    generations += batch.length;
    batch = [];
    await ignoreMissingFile(touchSpool(file));
  };
  try {
    for await (const line of linesOf(file)) {
      const generation = parseSpoolLine(line);
      if (generation === 'torn') {
        torn += 1;
        continue;
      }
      // A crash tears only the last record, so torn lines before this line are damage.
      damaged += torn;
      torn = 0;
      if (generation === 'unknown') damaged += 1;
      else batch.push(generation);
      if (batch.length === ROWS_PER_BATCH) await flush();
    }
  } catch (error) {
    if (!(error instanceof SpoolFileError) || isPassing(error.cause)) throw error;
    if (batch.length > 0) await flush();
    return { generations, damaged, keptAs: await keepUnreadable(deps, file, error) };
  }
  if (batch.length > 0) await flush();
  if (torn > 0)
    deps.logger.warn(
      { file, lines: torn },
      'the last record of a spool is incomplete; it was never acknowledged',
    );
  if (damaged > 0) return { generations, damaged, keptAs: await keepDamaged(deps, file, damaged) };
  await ignoreMissingFile(unlink(file));
  return { generations, damaged };
}

/** Ignores a missing file: another process may have taken it over, and will remove it. */
async function ignoreMissingFile(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!isMissing(error)) throw new SpoolFileError('a spool cannot be changed', { cause: error });
  });
}

/** Returns whether a later try may succeed: the file is missing, or the process lacks the resources to open it. */
function isPassing(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return ['ENOENT', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'].includes(code);
}

/**
 * Splits a file at line feeds only. JSON contains none, but may contain other characters that line readers treat as
 * ends of lines.
 */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = '';
  try {
    for await (const chunk of createReadStream(file, 'utf8')) {
      const lines = (rest + (chunk as string)).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
      // Replace the start of a line that is too long, so that the line counts as torn and does not fill the memory.
      if (rest.length > MAX_LINE_LENGTH) rest = TOO_LONG;
    }
  } catch (error) {
    throw new SpoolFileError('a spool cannot be read', { cause: error });
  }
  if (rest !== '') yield rest;
}

/** Replaces the start of a line that is too long, so that the line counts as torn. */
const TOO_LONG = '…';

async function keepDamaged({ logger }: WriteDeps, file: string, damaged: number): Promise<string> {
  const kept = await setSpoolAside(file, 'damaged');
  logger.error(
    { file: kept, damaged },
    'a spool has damaged records; the others are recorded, the file is kept',
  );
  return kept;
}

async function keepUnreadable({ logger }: WriteDeps, file: string, error: Error): Promise<string> {
  const kept = await setSpoolAside(file, 'unreadable');
  logger.error({ err: error, file: kept }, 'a spool cannot be read; its generations are not billed');
  return kept;
}
