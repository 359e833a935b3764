import { createReadStream } from 'node:fs';
import { unlink } from 'node:fs/promises';
import type { GenerationRecord } from '../../../domain/ledger/generation.ts';
import { isMissing, setSpoolAside, SpoolFileError, touchSpool } from './spool-files.ts';
import { parseSpoolLine } from './spool-record.ts';
import { type WriteDeps, writeBatch } from '../write-batch.ts';

const ROWS_A_BATCH = 500;
/** In characters, many times what a generation has. What is longer is no line, and must not fill the memory. */
const MAX_LINE_LENGTH = 4_000_000;

export interface Replayed {
  generations: number;
  /** Lines that cannot be read and that no crash explains. */
  damaged: number;
  /** Where the file lies that people must look at: it has damaged lines, or cannot be read at all. */
  keptAs?: string;
}

/**
 * Writes what a spool holds and removes the file, in that order. The file must not be added to any more. A last
 * record that is torn was never acknowledged. Throws SpoolFileError, also for a file that is not there, and whatever
 * Postgres says; what was written then is written again by the next try, and counts once.
 */
export async function replaySpool(deps: WriteDeps, file: string): Promise<Replayed> {
  let generations = 0;
  let damaged = 0;
  let torn = 0;
  let batch: GenerationRecord[] = [];
  const flush = async (): Promise<void> => {
    await writeBatch(deps, batch);
    generations += batch.length;
    batch = [];
    await unlessTaken(touchSpool(file));
  };
  try {
    for await (const line of linesOf(file)) {
      const generation = parseSpoolLine(line);
      if (generation === 'torn') {
        torn += 1;
        continue;
      }
      // A crash tears the end only.
      damaged += torn;
      torn = 0;
      if (generation === 'unknown') damaged += 1;
      else batch.push(generation);
      if (batch.length === ROWS_A_BATCH) await flush();
    }
  } catch (error) {
    if (!(error instanceof SpoolFileError) || isPassing(error.cause)) throw error;
    if (batch.length > 0) await flush();
    return { generations, damaged, keptAs: await keepUnreadable(deps, file, error) };
  }
  if (batch.length > 0) await flush();
  if (torn > 0) deps.logger.warn({ file, lines: torn }, 'the end of a spool was torn; nobody had its answer');
  if (damaged > 0) return { generations, damaged, keptAs: await keepDamaged(deps, file, damaged) };
  await unlessTaken(unlink(file));
  return { generations, damaged };
}

/** Another process may have taken it over meanwhile, and then removes it. */
async function unlessTaken(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!isMissing(error)) throw new SpoolFileError('a spool cannot be changed', { cause: error });
  });
}

/** It is not there, or the process has no room to open it: nothing is wrong with the file. */
function isPassing(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return ['ENOENT', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'].includes(code);
}

/** Only a line feed ends a record: JSON has none inside, but may have the other marks that readers of lines heed. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = '';
  try {
    for await (const chunk of createReadStream(file, 'utf8')) {
      const lines = (rest + (chunk as string)).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
      // Its beginning is no line, and neither is what follows.
      if (rest.length > MAX_LINE_LENGTH) rest = TOO_LONG;
    }
  } catch (error) {
    throw new SpoolFileError('a spool cannot be read', { cause: error });
  }
  if (rest !== '') yield rest;
}

/** Whatever is added to it is taken for torn. */
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
