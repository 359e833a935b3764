import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from '../../dev/settings.ts';

const SUITE = `
import { expect, test } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
test('throws where nobody catches', async () => {
  setImmediate(() => { throw new Error('late'); });
  await turn();
  await turn();
});
test('rejects where nobody listens', async () => {
  void Promise.reject(new Error('unheard'));
  await turn();
  await turn();
});
test('expects in vain', () => expect(1).toBe(2));
test('passes', () => expect(1).toBe(1));
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-suites-'));
  for (const name of ['first', 'second', 'third'])
    writeFileSync(path.join(folder, `${name}.test.mjs`), SUITE);
});
afterAll(() => rmSync(folder, { recursive: true }));

test('every suite of a process reports its own uncaught errors, rejections and failed tests', () => {
  const config = {
    rootDir: folder,
    runtime: path.join(ROOT, 'test/jest/node-runtime.ts'),
    testEnvironment: path.join(ROOT, 'test/jest/node-environment.ts'),
    transform: {},
    injectGlobals: false,
    testMatch: ['**/*.test.mjs'],
  };
  const jest = path.join(ROOT, 'node_modules/jest/bin/jest.js');
  const args = ['--no-warnings', jest, '--config', JSON.stringify(config), '--runInBand', '--json', '--ci'];
  const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  const { testResults } = JSON.parse(stdout) as {
    testResults: { assertionResults: { title: string; status: string }[] }[];
  };
  const outcome = testResults.map(({ assertionResults }) =>
    assertionResults.map(({ title, status }) => `${title}: ${status}`),
  );
  expect(outcome).toEqual(
    Array.from({ length: 3 }, () => [
      'throws where nobody catches: failed',
      'rejects where nobody listens: failed',
      'expects in vain: failed',
      'passes: passed',
    ]),
  );
});
