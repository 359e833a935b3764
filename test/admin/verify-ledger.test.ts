import { mkdir, readdir, rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { runVerifyLedger } from '../../admin/verify-ledger.ts';
import { createAccountStore } from '../../db/accounts/account-store.ts';
import { bool } from '../../db/postgres/shape.ts';
import { rowsOf } from '../../db/postgres/statement.ts';
import { createDatabase, type Database } from '../support/open-database.ts';
import { createLedgerConnection } from '../../db/ledger/ledger-connection.ts';
import type { GenerationRecord } from '../../domain/ledger/generation.ts';
import { newUuid } from '../../domain/ids.ts';
import { NO_METRICS } from '../../platform/metrics.ts';
import { createLedger } from '../../services/ledger/create-ledger.ts';
import { createLedgerMetrics } from '../../services/ledger/ledger-metrics.ts';
import { createSpool } from '../../services/ledger/spool/spool.ts';
import { listSpools } from '../../services/ledger/spool/spool-files.ts';
import { runAdminHere } from '../support/admin.ts';
import { type LedgerScene, openLedgerScene } from '../support/ledger-scene.ts';
import { makeGeneration } from '../support/make-generation.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { summed } from '../support/summed.ts';

let scene: LedgerScene;
beforeEach(async () => {
  scene = await openLedgerScene();
  const ledger = await scene.open();
  await Promise.all(
    [1, 2, 3].map((keyId) => ledger.record(makeGeneration({ keyId, organizationId: ORGANIZATION }))),
  );
  await summed(scene.database);
});
afterEach(() => scene.close());

const ORGANIZATION = newUuid();
const runAdmin = (args: string[], env: Record<string, string> = {}) =>
  runAdminHere(args, { SLUICE_ENV: 'test', DATABASE_URL: scene.databaseUrl, ...env });

describe('verify-ledger', () => {
  test('exits 0 when all sums agree, and prints its progress to stderr', async () => {
    const { code, stdout, stderr } = await runAdmin(['verify-ledger']);
    expect([code, stdout.trimEnd()]).toEqual([0, expect.stringMatching(/The ledger agrees\.$/)]);
    expect(stderr).toContain('adding up the generations\n');
    expect(stdout).toMatch(/^key_usage_totals +keys +3 +0$/m);
  });

  test('exits 1 and shows the rows that differ', async () => {
    await scene.database.query('update key_usage_totals set usage_nanos = usage_nanos + 5 where key_id = 2');
    const { code, stdout } = await runAdmin(['verify-ledger']);
    expect([code, stdout.trimEnd()]).toEqual([1, expect.stringMatching(/The ledger does NOT agree\.$/)]);
    expect(stdout).toMatch(/^key_id 2 +usage_nanos 1000 +usage_nanos 1005$/m);
  });

  test.each([
    ['ids', `update generations set created_at = created_at + interval '1 millisecond' where key_id = 1`],
    ['organization_usage_totals', 'update organization_usage_totals set request_count = request_count + 1'],
    ['workspace_usage', 'delete from workspace_usage'],
    ['key_usage', `update key_usage set settled_on = settled_on + 1 where key_id = 3`],
    ['hourly_usage', 'update hourly_usage set latency_3 = latency_3 + 1 where key_id = 1'],
    ['daily_usage', 'update daily_usage set tokens_prompt = tokens_prompt - 1 where key_id = 1'],
    ['daily_usage', 'delete from generations where key_id = 1'],
  ])('finds a difference in %s', async (name, harm) => {
    await scene.database.query(harm);
    expect(await scene.verify()).toMatch(new RegExp(`^${name}: \\d+ differs?[^]*does NOT agree\\.$`, 'm'));
  });
});

describe('verify-ledger on a replica', () => {
  test('writes nothing, not even temporary tables', async () => {
    const postgres = await startOwnPostgres();
    try {
      const connect = () => createLedgerConnection({ url: postgres.url, shard: 0, silenceMs: 5_000 });
      const ledger = createLedger({
        connect,
        detector: scene.detector,
        metrics: createLedgerMetrics(NO_METRICS),
        logger: scene.logger,
      });
      await Promise.all([1, 2, 3].map((keyId) => ledger.record(makeGeneration({ keyId }))));
      await ledger.close();
      await postgres.kill();
      await postgres.becomeStandby();
      await postgres.restart();
      const { knex, close } = createDatabase({ url: postgres.url, poolMax: 1 });
      expect(await rowsOf(knex, { it: bool }, 'select pg_is_in_recovery() it')).toEqual([{ it: true }]);
      const { text, verdict } = await runVerifyLedger(knex).finally(close);
      expect(verdict).toBe('agrees');
      expect(text).toMatch(/^key_usage_totals +keys +3 +0$/m);
    } finally {
      await postgres.close();
    }
  });
});

describe('a rejected generation', () => {
  const organizationId = newUuid();
  const tooMany = () =>
    makeGeneration({ organizationId, keyId: 77, usage: { prompt: 2 ** 40, completion: 1 } });

  async function reject(...generations: GenerationRecord[]): Promise<void> {
    await createAccountStore(createDatabaseOnce().knex).insertOrganization({
      id: organizationId,
      name: 'Test',
      creditEnforcement: false,
      entitlements: [],
    });
    const ledger = await scene.open();
    for (const generation of generations) await ledger.record(generation);
  }

  let opened: Database | undefined;
  const createDatabaseOnce = (): Database =>
    (opened ??= createDatabase({ url: scene.databaseUrl, poolMax: 1 }));
  afterEach(async () => {
    await opened?.close();
    opened = undefined;
  });

  /** As an operator would, who knows what the upstream meant. */
  const mend = (id: string) =>
    scene.database.query(
      `update generation_rejects set record = replace(record, '1099511627776', '7') where generation_id = $1`,
      [id],
    );

  test('makes verify-ledger exit 3, and differing sums make it exit 1', async () => {
    await reject(tooMany());
    const { code, stdout } = await runAdmin(['verify-ledger']);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^Rejects: 1 answered, not billed[^]*The ledger agrees\.$/m);
    await scene.database.query('update key_usage_totals set usage_nanos = usage_nanos + 5');
    expect((await runAdmin(['verify-ledger'])).code).toBe(1);
  });

  test('appears in the list, and is recorded once after its record is corrected', async () => {
    const [good, bad] = [tooMany(), tooMany()];
    await reject(good, bad);
    expect((await runAdmin(['rejects', 'list'])).stdout).toMatch(
      new RegExp(`^${good.id} .*out of range`, 'm'),
    );
    await mend(good.id);
    const first = await runAdmin(['rejects', 'replay', '--all']);
    expect(first.code).toBe(1);
    expect(first.stdout).toMatch(new RegExp(`^${good.id}: recorded$`, 'm'));
    expect(first.stdout).toMatch(new RegExp(`^${bad.id}: still refused: .*out of range`, 'm'));
    await mend(bad.id);
    expect(await runAdmin(['rejects', 'replay', bad.id])).toMatchObject({ code: 0 });
    expect(await runAdmin(['rejects', 'replay', bad.id])).toMatchObject({ code: 2 });
    expect((await runAdmin(['rejects', 'list'])).stdout).toBe('No generation was rejected.\n');
    expect(await scene.timesRecorded([good.id, bad.id])).toEqual([1, 1]);
    const { code, stdout } = await runAdmin(['verify-ledger']);
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('Rejects')]);
    const { rows } = await scene.database.query('select action, target from audit_log order by created_at');
    expect(rows).toEqual(
      [good, bad].map(({ id }) => ({ action: 'replayReject', target: `generations/${id}` })),
    );
  });

  test('adds no second charge when it was recorded before the replay', async () => {
    const generation = tooMany();
    await reject(generation);
    await mend(generation.id);
    const mended = { ...generation, usage: { prompt: 7, completion: 1 } };
    await (await scene.open()).record(mended);
    const { stdout } = await runAdmin(['rejects', 'replay', generation.id]);
    expect(stdout).toBe(`${generation.id}: was recorded already\n`);
    expect(await scene.verify()).toMatch(/The ledger agrees\.$/);
  });

  test('requires a known verb and one name in the rejects command', async () => {
    for (const args of [[], ['list', 'x'], ['replay'], ['replay', 'x', '--all'], ['list', '--all']]) {
      expect(await runAdmin(['rejects', ...args])).toMatchObject({ code: 2 });
    }
  });
});

describe('spool replay', () => {
  test('records the generations of the directory once', async () => {
    const spool = await createSpool({ directory: scene.spoolFolder, maxBytes: 1_000_000 });
    const generations = [makeGeneration(), makeGeneration()];
    await spool.append([...generations, ...generations]);
    const { code, stdout } = await runAdmin(['spool', 'replay'], { SPOOL_DIR: scene.spoolFolder });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/\.spool: 4 generations\n$/)]);
    expect(await scene.timesRecorded(generations.map(({ id }) => id))).toEqual([1, 1]);
    expect(await readdir(scene.spoolFolder)).toEqual([]);
    expect((await runAdmin(['spool', 'replay', scene.spoolFolder])).stdout).toMatch(/^There is no spool in /);
  });

  test('continues after an unreadable file, lists it as set aside, and exits 1', async () => {
    const spool = await createSpool({ directory: scene.spoolFolder, maxBytes: 1_000_000 });
    const [lost, found] = [makeGeneration(), makeGeneration()];
    for (const generation of [lost, found]) {
      await spool.append([generation]);
      await spool.rotate();
    }
    const [first = ''] = await listSpools(scene.spoolFolder);
    await rm(first);
    await mkdir(first);
    const { code, stdout } = await runAdmin(['spool', 'replay', scene.spoolFolder]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/: 0 generations\n.*: 1 generations\n.*\.unreadable: set aside/);
    expect(await scene.timesRecorded([lost.id, found.id])).toEqual([0, 1]);
  });

  test('exits 2 without DIRECTORY or SPOOL_DIR', async () => {
    expect(await runAdmin(['spool', 'replay'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('neither DIRECTORY nor SPOOL_DIR is given'),
    });
    expect(await runAdmin(['spool'])).toMatchObject({ code: 2 });
  });
});
