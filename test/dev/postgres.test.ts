import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { findFreePorts } from '../../dev/ports.ts';
import { ensureDatabase, startPostgres } from '../../dev/postgres/postgres.ts';
import { createSupervisor, type Supervisor } from '../../dev/processes/supervisor.ts';

const isRoot = process.getuid?.() === 0;

let parent: string;
let dataDir: string;
let supervisor: Supervisor | undefined;

beforeAll(() => {
  // Made with mode 0700, like root's home: as root, Postgres cannot come in here.
  parent = mkdtempSync(path.join(tmpdir(), 'sluice-postgres-'));
  dataDir = path.join(parent, 'data');
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

async function withPostgres(work: (client: pg.Client) => Promise<void>, throwAway = false): Promise<void> {
  const [port = 0] = await findFreePorts(1);
  supervisor = await createSupervisor({ dataDir, say: () => undefined, throwAway });
  try {
    const adminUrl = await startPostgres({ supervisor, dataDir, port, durable: false });
    const client = new pg.Client({ connectionString: await ensureDatabase(adminUrl, 'sluice') });
    await client.connect();
    await work(client);
    await client.end();
  } finally {
    await supervisor.stopAll();
  }
}

function clusterFolder(): string {
  return (JSON.parse(readFileSync(path.join(dataDir, 'postgres.json'), 'utf8')) as { folder: string }).folder;
}

/** One cluster through its life; each test goes on where the one before ended. */
describe('the embedded Postgres', () => {
  test('starts when only the owner can enter its folder', async () => {
    await withPostgres(async (client) => {
      await client.query('create table kept (word text)');
      await client.query(`insert into kept values ('still here')`);
    });
    expect(clusterFolder().startsWith(dataDir)).toBe(!isRoot);
    expect(statSync(path.join(dataDir, 'postgres.json')).mode & 0o777).toBe(0o600);
  });

  test('keeps its data, and starts despite the lock file of a killed one', async () => {
    // As after the restart of a container: by now the pid belongs to another process of the same user.
    const { uid, gid } = statSync(clusterFolder());
    const stranger = spawn('sleep', ['600'], { cwd: '/', stdio: 'ignore', ...(isRoot ? { uid, gid } : {}) });
    await once(stranger, 'spawn');
    writeFileSync(path.join(clusterFolder(), 'postmaster.pid'), `${stranger.pid}\n${clusterFolder()}\n`);
    await withPostgres(async (client) => {
      expect((await client.query('select word from kept')).rows).toEqual([{ word: 'still here' }]);
    });
    stranger.kill();
  });

  test('fails when another major version made the data', async () => {
    const file = path.join(clusterFolder(), 'PG_VERSION');
    const version = readFileSync(file, 'utf8');
    writeFileSync(file, '9\n');
    await expect(withPostgres(async () => undefined)).rejects.toThrow('was made by Postgres 9');
    writeFileSync(file, version);
  });

  test('starts empty after the data folder was deleted', async () => {
    rmSync(dataDir, { recursive: true });
    await withPostgres(async (client) => {
      await expect(client.query('select from kept')).rejects.toThrow('does not exist');
    });
  });

  test('leaves no folder when it is throw-away', async () => {
    const folder = clusterFolder();
    await withPostgres(async () => undefined, true);
    const left = [dataDir, folder].filter((name) => statSync(name, { throwIfNoEntry: false }) !== undefined);
    expect(left).toEqual([]);
  });
});
