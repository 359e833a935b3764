import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { newUuid } from '../../domain/ids.ts';
import { createSpool } from '../../services/ledger/spool.ts';
import { type LedgerScene, openLedgerScene } from '../support/ledger-scene.ts';
import { makeGeneration } from '../support/make-generation.ts';

let scene: LedgerScene;
beforeEach(async () => {
  scene = await openLedgerScene();
  const ledger = await scene.open();
  await Promise.all(
    [1, 2, 3].map((keyId) => ledger.record(makeGeneration({ keyId, organizationId: ORGANIZATION }))),
  );
});
afterEach(() => scene.close());

const ORGANIZATION = newUuid();
const MAIN = fileURLToPath(new URL('../../admin/main.ts', import.meta.url));

function runAdmin(args: string[], env: Record<string, string> = {}) {
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const options = { env: { SLUICE_ENV: 'test', DATABASE_URL: scene.databaseUrl, ...env } };
    execFile(process.execPath, ['--no-warnings', MAIN, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code, stdout, stderr });
    });
  });
}

describe('verify-ledger', () => {
  test('exits 0 when all agrees, and says what it does meanwhile', async () => {
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
  ])('sees a difference in %s', async (name, harm) => {
    await scene.database.query(harm);
    expect(await scene.verify()).toMatch(new RegExp(`^${name}: \\d+ differs?[^]*does NOT agree\\.$`, 'm'));
  });
});

describe('spool replay', () => {
  test('records what lies in the directory, once', async () => {
    const spool = await createSpool({ directory: scene.spoolFolder, maxBytes: 1_000_000 });
    const generations = [makeGeneration(), makeGeneration()];
    await spool.append([...generations, ...generations]);
    const { code, stdout } = await runAdmin(['spool', 'replay'], { SPOOL_DIR: scene.spoolFolder });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/\.spool: 4 generations\n$/)]);
    expect(await scene.timesRecorded(generations.map(({ id }) => id))).toEqual([1, 1]);
    expect(await readdir(scene.spoolFolder)).toEqual([]);
    expect((await runAdmin(['spool', 'replay', scene.spoolFolder])).stdout).toMatch(/^There is no spool in /);
  });

  test('wants to know where', async () => {
    expect(await runAdmin(['spool', 'replay'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('SPOOL_DIR is not set'),
    });
    expect(await runAdmin(['spool'])).toMatchObject({ code: 2 });
  });
});
