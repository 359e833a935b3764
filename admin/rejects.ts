import os from 'node:os';
import { parseArgs } from 'node:util';
import type { Handle } from '../db/postgres/connection.ts';
import { createRejectStore, type Reject } from '../db/ledger/reject-store.ts';
import { shardOfProcess } from '../domain/shard.ts';
import { replayReject } from '../services/ledger/spool/replay-reject.ts';
import { type Report, pickVerb, positionalsOf, wrongUsage, AdminUsageError } from './arguments.ts';
import { formatTable } from './table.ts';

export const REJECTS_USAGE = `rejects list
rejects replay GENERATION
rejects replay --all`;

const SHOWN = 100;
const MAX_REPLAYED = 10_000;
const MAX_REASON_LENGTH = 120;

/**
 * Runs `admin rejects …` on generations that were completed, but not billed. Returns the text to print, and whether all
 * succeeded.
 */
export async function runRejects(knex: Handle, args: string[]): Promise<Report> {
  const { values, positionals } = parseArgs({
    args,
    options: { all: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [verb, rest] = pickVerb('rejects', ['list', 'replay'], positionals);
  const [generationId] = positionalsOf('rejects', verb === 'list' ? [] : ['[GENERATION]'], rest);
  if (verb === 'list') {
    if (values.all) throw wrongUsage('rejects', '--all goes with replay');
    return listRejects(knex);
  }
  if ((generationId === undefined) !== values.all) {
    throw wrongUsage('rejects', 'replay needs either GENERATION or --all');
  }
  return replayRejects(knex, generationId);
}

async function listRejects(knex: Handle): Promise<Report> {
  const store = createRejectStore(knex);
  const count = await store.count();
  if (count === 0) return { text: 'No generation was rejected.', isDone: true };
  const rejects = await store.list(SHOWN);
  const table = formatTable(
    ['generation', 'rejected at', 'reason'],
    rejects.map(({ generationId, rejectedAt, error }) => [
      generationId,
      rejectedAt.toISOString(),
      error.slice(0, MAX_REASON_LENGTH),
    ]),
  );
  const total = `${count} rejected${count > rejects.length ? `; the oldest ${rejects.length} are shown` : ''}.`;
  return { text: [table, '', total].join('\n'), isDone: true };
}

async function replayRejects(knex: Handle, generationId: string | undefined): Promise<Report> {
  const store = createRejectStore(knex);
  const rejects =
    generationId === undefined ? await store.list(MAX_REPLAYED) : [await store.find(generationId)];
  const found = rejects.filter((reject) => reject !== null);
  if (found.length === 0) {
    if (generationId !== undefined) throw new AdminUsageError(`${generationId} is not among the rejects.`);
    return { text: 'No generation was rejected.', isDone: true };
  }
  const shard = shardOfProcess(os.hostname(), process.pid);
  const outcomes: { line: string; isDone: boolean }[] = [];
  for (const reject of found) outcomes.push(await replayOne(knex, reject, shard));
  return {
    text: outcomes.map(({ line }) => line).join('\n'),
    isDone: outcomes.every(({ isDone }) => isDone),
  };
}

/** Replays one reject. A failure does not stop the others. */
async function replayOne(
  knex: Handle,
  reject: Reject,
  shard: number,
): Promise<{ line: string; isDone: boolean }> {
  const { generationId } = reject;
  try {
    const isBilled = await replayReject(knex, reject, shard);
    return { line: `${generationId}: ${isBilled ? 'recorded' : 'was recorded already'}`, isDone: true };
  } catch (error) {
    return { line: `${generationId}: still refused: ${reasonOf(error)}`, isDone: false };
  }
}

/** Returns the message of Postgres, which Knex appends to a long statement. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split(' - ').at(-1) ?? message;
}
