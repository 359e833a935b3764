import { createReadStream } from 'node:fs';
import { rename, unlink } from 'node:fs/promises';
import type { GenerationRecord } from '../../domain/generation.ts';
import { touchSpool } from './spool-files.ts';
import { parseSpoolLine } from './spool-record.ts';
import { type WriteDeps, writeBatch } from './write-batch.ts';

const ROWS_A_BATCH = 500;

export interface Replayed {
  generations: number;
  /** Lines that cannot be read although others follow: no crash explains them, and the file is kept. */
  damaged: number;
}

/**
 * Writes what a spool holds and removes the file, in that order. The file must not be added to any more. A last
 * record that is torn was never acknowledged. Throws when Postgres is away; what was written then is written again
 * by the next try, and counts once.
 */
export async function replaySpool(deps: WriteDeps, file: string): Promise<Replayed> {
  let generations = 0;
  let damaged = 0;
  let unread = 0;
  let batch: GenerationRecord[] = [];
  const flush = async (): Promise<void> => {
    await writeBatch(deps, batch);
    generations += batch.length;
    batch = [];
    await unlessTaken(touchSpool(file));
  };
  for await (const line of linesOf(file)) {
    const generation = parseSpoolLine(line);
    if (generation === undefined) {
      unread += 1;
      continue;
    }
    damaged += unread;
    unread = 0;
    batch.push(generation);
    if (batch.length === ROWS_A_BATCH) await flush();
  }
  if (batch.length > 0) await flush();
  if (unread > 0)
    deps.logger.warn({ file, lines: unread }, 'the end of a spool was torn; nobody had its answer');
  await unlessTaken(damaged === 0 ? unlink(file) : setAside(deps, file, damaged));
  return { generations, damaged };
}

/** Another process may have taken it over meanwhile, and then removes it. */
async function unlessTaken(work: Promise<void>): Promise<void> {
  await work.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

/** Only a line feed ends a record: JSON has none inside, but may have the other marks that readers of lines heed. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = (rest + (chunk as string)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

async function setAside({ logger }: WriteDeps, file: string, damaged: number): Promise<void> {
  const kept = `${file}.damaged`;
  await rename(file, kept);
  logger.error(
    { file: kept, damaged },
    'a spool has damaged records; the others are recorded, the file is kept',
  );
}
