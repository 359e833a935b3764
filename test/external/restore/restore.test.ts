import { exec } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { bootstrap } from '../../../admin/bootstrap.ts';
import { runMigrate } from '../../../admin/run-migrate.ts';
import { ensureDatabase } from '../../../dev/postgres/postgres.ts';
import { ROOT } from '../../../dev/settings.ts';
import { runAdminProcess } from '../../support/admin.ts';
import { type ApiProcess, startApiProcess } from '../../support/api-process.ts';
import { createCaller } from '../../support/caller.ts';
import { chats } from '../../support/forwarding.ts';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { ended, getJob, submit } from '../../support/jobs.ts';
import { type OwnPostgres, startOwnPostgres } from '../../support/own-postgres.ts';
import {
  createWorkerProcesses,
  type WorkerProcess,
  type WorkerProcesses,
} from '../../support/worker-processes.ts';

const { POSTGRES_15_TEST_BIN: bin = '' } = process.env;
/** The page runs its programs inside of the container. Here they run on this machine. */
const IN_CONTAINER = 'docker compose exec -T postgres ';

let postgres: OwnPostgres;
/** The URL of the database `sluice`, as in compose.yaml. */
let url: string;
/** For its upstream, its settings and its Temporal. */
let gateway: Gateway;
let workers: WorkerProcesses;
let api: ApiProcess;
let worker: WorkerProcess;
let apiKey: string;
let folder: string;

beforeAll(async () => {
  const programs = { initdb: path.join(bin, 'initdb'), postgres: path.join(bin, 'postgres') };
  [postgres, gateway, folder] = await Promise.all([
    startOwnPostgres({ ...programs, majorVersion: '15' }),
    startGateway({ times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000 } }),
    mkdtemp(path.join(tmpdir(), 'sluice-restore-')),
  ]);
  url = await ensureDatabase(postgres.url, 'sluice');
  await runMigrate(url);
  ({ apiKey } = await bootstrap(url, gateway.config.encryption, {
    organizationName: 'Restored',
    email: 'owner@example.com',
    creditEnforcement: false,
    entitlements: [],
  }));
  workers = createWorkerProcesses(gateway);
});

afterAll(async () => {
  await workers.close();
  await api.kill();
  await gateway.close();
  await postgres.close();
  await rm(folder, { recursive: true });
});

async function startProcesses(): Promise<void> {
  api = await startApiProcess(gateway, { DATABASE_URL: url });
  worker = await workers.start([], { DATABASE_URL: url });
}

/** Returns the commands for Postgres of the page's section about backups, in their order. */
async function commandsOfPage(): Promise<string[]> {
  const page = await readFile(path.join(ROOT, 'docs/ops/README.md'), 'utf8');
  const [, section = ''] = page.split('\n## Backups\n');
  const lines = section.split('\n## ')[0]!.split('\n');
  return lines.flatMap((line) => (line.startsWith(IN_CONTAINER) ? [line.slice(IN_CONTAINER.length)] : []));
}

function run(command: string): Promise<{ code: number; stderr: string }> {
  const { hostname, port, password } = new URL(url);
  const env = { PATH: `${bin}:/usr/bin:/bin`, PGHOST: hostname, PGPORT: port, PGPASSWORD: password };
  return new Promise((resolve) => {
    exec(command, { cwd: folder, env }, (error, _stdout, stderr) => {
      resolve({ code: error === null ? 0 : (error.code ?? 1), stderr });
    });
  });
}

const verifyLedger = () => runAdminProcess(['verify-ledger'], { DATABASE_URL: url });

test('the documented commands restore a backup into an empty database, and the gateway continues', async () => {
  const [dump, ...restore] = await commandsOfPage();
  expect([dump?.split(' ')[0], ...restore.map((line) => line.split(' ')[0])]).toEqual([
    'pg_dump',
    'psql',
    'createdb',
    'pg_restore',
  ]);
  await startProcesses();
  const before = createCaller(api.origin, apiKey);
  await chats({ origin: api.origin, apiKey }, 3);
  const done = await ended(before, (await submit(before)).id);
  expect(done.status).toBe('completed');
  expect(await run(dump!)).toEqual({ code: 0, stderr: '' });
  const lost = await submit(before);
  await worker.kill();
  await api.kill();

  for (const command of restore) expect(await run(command)).toEqual({ code: 0, stderr: '' });
  expect(await verifyLedger()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('The ledger agrees.'),
  });

  await startProcesses();
  const after = createCaller(api.origin, apiKey);
  expect(await getJob(after, done.id)).toMatchObject({ status: 'completed', usage: done.usage });
  expect((await after.call('GET', `/videos/${lost.id}`)).status).toBe(404);
  await chats({ origin: api.origin, apiKey }, 3);
  expect((await ended(after, (await submit(after)).id)).status).toBe('completed');
  expect(await verifyLedger()).toMatchObject({ code: 0 });
});
