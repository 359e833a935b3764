import { execFile } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { GenerationRecord } from '../../../../domain/ledger/generation.ts';
import { createLogger } from '../../../../platform/logger.ts';
import { replaySpool } from '../../../../services/ledger/spool/replay-spool.ts';
import { createSpool } from '../../../../services/ledger/spool/spool.ts';
import {
  claimSpool,
  listAbandoned,
  listAside,
  listSpools,
  SpoolFileError,
} from '../../../../services/ledger/spool/spool-files.ts';
import { makeGeneration } from '../../../support/make-generation.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'sluice-spool-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const openSpool = (maxBytes = 1_000_000) => createSpool({ directory, maxBytes });
const logger = createLogger({ level: 'silent', name: 'test' });

/** Replays into memory. */
async function replayed(file: string): Promise<{ rows: GenerationRecord[]; damaged: number }> {
  const rows: GenerationRecord[] = [];
  const connection = {
    record: (generations: readonly GenerationRecord[]) => {
      rows.push(...generations);
      return Promise.resolve([]);
    },
    ensurePartitions: () => Promise.resolve(),
    hasDropped: () => Promise.resolve(false),
    reject: () => Promise.resolve(),
  };
  const { damaged } = await replaySpool({ connection, logger }, file);
  return { rows, damaged };
}

async function spoolOf(generations: GenerationRecord[]): Promise<string> {
  const spool = await openSpool();
  for (const generation of generations) await spool.append([generation]);
  const [file] = await spool.rotate();
  return file!;
}

describe('a spool', () => {
  test('returns large amounts and control characters unchanged and removes its file', async () => {
    const generations = [
      makeGeneration({ costNanos: 123_456_789_012_345_678_901n, upstreamCostNanos: 5n }),
      makeGeneration({ externalUser: 'line\nline\r\u2028\u2029\u0000', sessionId: 'ключ 🗝' }),
    ];
    const { rows } = await replayed(await spoolOf(generations));
    expect(rows).toEqual(generations);
    expect(await readdir(directory)).toEqual([]);
  });

  test('loses only the unacknowledged record that a crash tore', async () => {
    const generations = [makeGeneration(), makeGeneration(), makeGeneration()];
    const file = await spoolOf(generations);
    const whole = await readFile(file);
    for (const cut of [1, 2, 40, 300]) {
      const torn = path.join(directory, path.basename(file));
      await writeFile(torn, whole.subarray(0, whole.length - cut));
      const { rows, damaged } = await replayed(torn);
      expect([rows.slice(0, 2), damaged]).toEqual([generations.slice(0, 2), 0]);
      expect(await readdir(directory)).toEqual([]);
    }
  });

  test('skips a damaged record and keeps the damaged file aside', async () => {
    const generations = [makeGeneration(), makeGeneration(), makeGeneration()];
    const file = await spoolOf(generations);
    const lines = (await readFile(file, 'utf8')).split('\n');
    lines[1] = lines[1]!.replace('"costNanos":"1000"', '"costNanos":"9000"');
    await writeFile(file, lines.join('\n'));
    const { rows, damaged } = await replayed(file);
    expect([rows, damaged]).toEqual([[generations[0], generations[2]], 1]);
    expect(await readdir(directory)).toEqual([`${path.basename(file)}.damaged`]);
    expect(await listSpools(directory)).toEqual([]);
  });

  test('keeps a file with records of a later version aside', async () => {
    const generations = [makeGeneration(), makeGeneration()];
    const file = await spoolOf(generations);
    const [first = '', second = ''] = (await readFile(file, 'utf8')).split('\n');
    await writeFile(file, `${first}\n${second.replace(/^1/, '2')}\n`);
    const { rows, damaged } = await replayed(file);
    expect([rows, damaged]).toEqual([[generations[0]], 1]);
    expect(await listAside(directory)).toEqual([`${file}.damaged`]);
  });

  test('skips a record with a valid checksum that is no generation', async () => {
    const generation = makeGeneration();
    const file = await spoolOf([generation]);
    const json = '{"costNanos":"many"}';
    await appendFile(file, `1 ${crc32(json).toString(16).padStart(8, '0')} ${json}\n`);
    expect(await replayed(file)).toEqual({ rows: [generation], damaged: 1 });
  });

  test('skips a line of nine megabytes and reads the next', async () => {
    const generation = makeGeneration();
    const file = await spoolOf([generation]);
    const line = await readFile(file, 'utf8');
    await writeFile(file, `${'x'.repeat(9_000_000)}\n${line}`);
    expect(await replayed(file)).toEqual({ rows: [generation], damaged: 1 });
  });

  test('sets an unreadable file aside', async () => {
    const file = await spoolOf([makeGeneration()]);
    await rm(file);
    await mkdir(file);
    expect(await replayed(file)).toEqual({ rows: [], damaged: 0 });
    expect([await listAside(directory), await listSpools(directory)]).toEqual([[`${file}.unreadable`], []]);
  });

  test('reports a missing file as an error and not as empty', async () => {
    const file = await spoolOf([makeGeneration()]);
    await rm(file);
    await expect(replayed(file)).rejects.toBeInstanceOf(SpoolFileError);
  });

  test('has no room once it holds its limit, and has room again after the replay', async () => {
    const spool = await openSpool(1_500);
    expect(spool.hasRoom()).toBe(true);
    await spool.append([makeGeneration(), makeGeneration()]);
    expect(spool.hasRoom()).toBe(false);
    for (const file of await spool.rotate()) {
      await replayed(file);
      spool.forget(file);
    }
    expect([spool.hasRoom(), spool.isEmpty()]).toEqual([true, true]);
  });

  test('loses no row when it is taken over while its process still writes', async () => {
    const mine = await openSpool();
    const [first, second] = [makeGeneration(), makeGeneration()];
    await mine.append([first]);
    const [file] = await listSpools(directory);
    const other = await openSpool();
    const taken = await other.takeOver(file!);
    await mine.append([second]);
    const rows = [...(await replayed(taken!)).rows];
    for (const own of await mine.rotate()) rows.push(...(await replayed(own)).rows);
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set([first.id, second.id]));
  });

  test('yields to one of several processes that take it over', async () => {
    const file = await spoolOf([makeGeneration()]);
    const spools = await Promise.all([openSpool(), openSpool(), openSpool()]);
    const taken = await Promise.all(spools.map((spool) => spool.takeOver(file)));
    expect(taken.filter((path) => path !== undefined)).toHaveLength(1);
    expect(await claimSpool(file, `${file}.x`)).toBe(false);
  });

  test("counts as empty when it holds only another process's file, whose size it reports", async () => {
    const file = await spoolOf([makeGeneration(), makeGeneration()]);
    const other = await openSpool(100);
    const taken = await other.takeOver(file);
    expect([other.isEmpty(), other.hasRoom()]).toEqual([true, true]);
    expect(await other.rotate()).toEqual([taken]);
    expect(other.bytes()).toBeGreaterThan(100);
    other.forget(taken!);
    expect(other.bytes()).toBe(0);
  });

  test('keeps exactly the acknowledged records on a full disk and has no room meanwhile', async () => {
    // Files of four KiB at most: what goes beyond is written in part.
    const child = fileURLToPath(new URL('../../../support/spool-child.ts', import.meta.url));
    const args = [process.execPath, '--no-warnings', child, directory, '2', '30', '30', '1'];
    const { stdout } = await promisify(execFile)('sh', ['-c', 'ulimit -f 8 && exec "$0" "$@"', ...args]);
    const writes = JSON.parse(stdout) as { ids: string[]; error: string | null; hasRoom: boolean }[];
    expect(writes.map(({ error, hasRoom }) => [error, hasRoom])).toEqual([
      [null, true],
      ['EFBIG', false],
      ['EFBIG', false],
      [null, true],
    ]);
    const files = await listSpools(directory);
    expect(files).toHaveLength(2);
    const found = await Promise.all(files.map(replayed));
    expect(found.flatMap(({ rows }) => rows.map(({ id }) => id))).toEqual([
      ...writes[0]!.ids,
      ...writes[3]!.ids,
    ]);
  });

  test('continues in a new file after a failed write', async () => {
    const spool = await openSpool();
    await spool.append([makeGeneration()]);
    const [file] = await listSpools(directory);
    await appendFile(file!, 'half a rec');
    await rename(file!, `${file}.elsewhere`);
    const generation = makeGeneration();
    await spool.append([generation]);
    const [next] = await listSpools(directory);
    expect((await replayed(next!)).rows).toEqual([generation]);
  });
});

test('only the spools of dead processes count as abandoned', async () => {
  const spool = await openSpool();
  await spool.append([makeGeneration()]);
  const [own] = await listSpools(directory);
  const named = async (processId: number): Promise<string> => {
    const name = path.basename(own!).replace(/~\d+~[0-9a-f]{12}~/, `~${processId}~000000000000~`);
    await writeFile(path.join(directory, name), '');
    return path.join(directory, name);
  };
  await named(process.ppid);
  const dead = await named(2 ** 22 + 1);
  await writeFile(path.join(directory, 'notes.txt'), '');
  expect(await listAbandoned(directory, spool.holder)).toEqual([dead]);
});
