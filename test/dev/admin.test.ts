import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ROOT } from '../../dev/settings.ts';
import { writeDevFile } from '../../dev/stack/dev-file.ts';
import { compiledCode } from '../support/compiled-code.ts';
import type { Ran } from '../support/admin.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let folder: string;

beforeEach(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(path.join(tmpdir(), 'sluice-data-'));
});

afterEach(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

/** Runs `npm run admin -- …` as in another terminal, where nothing but the data folder is known. */
function admin(args: string[], env: Record<string, string> = {}): Promise<Ran> {
  return new Promise((resolve) => {
    const command = ['--no-warnings', path.join(ROOT, 'dev/admin.ts'), ...args];
    execFile(
      process.execPath,
      command,
      { env: { ...compiledCode, DATA_DIR: folder, ...env } },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : error.code, stdout, stderr });
      },
    );
  });
}

/** Leaves the facts of a stack that runs with other ports than the usual ones. */
function leaveDevFile(): void {
  writeDevFile(folder, {
    base_url: 'http://127.0.0.1:18080/api/v1',
    api_key: 'sk-slc-1',
    management_key: 'sk-slc-2',
    organization_id: '4d1f6c55-0a7e-4a5c-9d6e-0a8f5f3f7b21',
    workspace_id: '4d1f6c55-0a7e-4a5c-9d6e-0a8f5f3f7b22',
    temporal_ui: null,
    temporal_address: '127.0.0.1:17233',
    database_url: database.url,
    upstream_url: 'http://127.0.0.1:18090',
    webhook_secret: 'whsec_x',
  });
}

test('an admin command finds the stack of npm start and says so', async () => {
  leaveDevFile();
  const said = `Using the stack of npm start: ${path.join(folder, 'dev.json')}\n`;
  const made = await admin(['bootstrap', '--name', 'Acme', '--email', 'ops@acme.example']);
  expect([made.code, made.stderr]).toEqual([0, said]);
  const token = await admin(['scim-token']);
  expect([token.code, token.stderr]).toEqual([0, said]);
  expect(token.stdout).toContain('base URL  http://127.0.0.1:18080/api/v1/scim/v2');
  expect(await admin(['daemon-keys', 'list'])).toMatchObject({ code: 0, stderr: said });
});

test('an admin command uses another DATABASE_URL instead of the stack', async () => {
  leaveDevFile();
  const { code, stderr } = await admin(['keys', 'list'], {
    DATABASE_URL: `${database.url}?application_name=x`,
  });
  expect([code, stderr]).toEqual([2, 'There is no organization yet. First: npm run admin -- bootstrap\n']);
});

test('an admin command without a stack names the missing DATABASE_URL', async () => {
  const { code, stderr } = await admin(['keys', 'list']);
  expect(code).toBe(2);
  expect(stderr).toBe(
    `There is no stack of npm start in ${folder}.\nThe configuration is not valid:\n` +
      '  DATABASE_URL is not set; for example DATABASE_URL=postgres://sluice:password@db.example.com:5432/sluice\n',
  );
});
