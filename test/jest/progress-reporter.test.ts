import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ROOT } from '../../dev/settings.ts';

/** One suite more than the reporter lists as slow. */
const SUITES = 11;

let folder: string;
let lines: string[];

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-suites-'));
  for (let n = 1; n <= SUITES; n += 1)
    writeFileSync(path.join(folder, `suite-${n}.test.cjs`), `test('passes', () => {});`);
  const config = {
    rootDir: folder,
    transform: {},
    testMatch: ['**/*.test.cjs'],
    reporters: [path.join(ROOT, 'test/jest/progress-reporter.ts')],
  };
  const jest = path.join(ROOT, 'node_modules/jest/bin/jest.js');
  const args = ['--no-warnings', jest, '--config', JSON.stringify(config), '--runInBand', '--ci'];
  const env = { ...process.env, FORCE_COLOR: '0', SLUICE_TEST_COMMAND: 'npm run some-tests --' };
  const { stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', env });
  lines = stderr.split('\n');
});

afterAll(() => rmSync(folder, { recursive: true }));

describe('the progress of a run', () => {
  test('counts the suites that are done, of all', () => {
    const places = lines.flatMap((line) => /^(\d+\/\d+) PASS/.exec(line)?.[1] ?? []);
    expect(places).toEqual(Array.from({ length: SUITES }, (_, n) => `${n + 1}/${SUITES}`));
  });

  test('ends with the ten slowest suites, the slowest first', () => {
    const from = lines.indexOf(`The slowest of ${SUITES} suites:`);
    const seconds = lines.slice(from + 1, from + 11).map((line) => {
      return Number(/^ +(\d+\.\d) s {2}suite-\d+\.test\.cjs$/.exec(line)?.[1]);
    });
    expect(seconds).toEqual(seconds.toSorted((one, other) => other - one));
    expect(seconds.every(Number.isFinite)).toBe(true);
  });

  test('says how to run one of them with the same command', () => {
    expect(lines.find((line) => line.startsWith('Run one of them:'))).toMatch(
      /^Run one of them: npm run some-tests -- suite-\d+\.test\.cjs$/,
    );
  });
});
