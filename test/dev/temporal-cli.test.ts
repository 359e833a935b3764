import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createProgress } from '../../dev/progress.ts';
import type { Supervisor } from '../../dev/processes/supervisor.ts';
import { findTemporalCli } from '../../dev/temporal/temporal-cli.ts';

let home: string;
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'sluice-cli-'));
  env = { HOME: home, PATH: path.join(home, 'bin') };
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** A program that knows no more than its version. */
function putCli(folder: string, server: string): string {
  const file = path.join(home, folder, 'temporal');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho "temporal version 1.0.0 (Server ${server}, UI 2.0.0)"\n`, {
    mode: 0o755,
  });
  return file;
}

/** Nothing can be downloaded or built: there is no Go on the PATH, and no process is started. */
async function find(): Promise<string> {
  const supervisor = { run: () => Promise.reject(new Error('offline')) } as unknown as Supervisor;
  const progress = createProgress(() => undefined);
  return findTemporalCli({ progress, supervisor, logsFolder: home }, env);
}

describe('the search for a Temporal CLI', () => {
  test('takes the one that TEMPORAL_CLI_PATH names before the one on the PATH', async () => {
    putCli('bin', '1.29.1');
    env['TEMPORAL_CLI_PATH'] = putCli('elsewhere', '1.30.0');
    expect(await find()).toBe(path.join(home, 'elsewhere', 'temporal'));
  });

  test('refuses a TEMPORAL_CLI_PATH that does not fit, instead of taking another', async () => {
    putCli('bin', '1.29.1');
    env['TEMPORAL_CLI_PATH'] = putCli('elsewhere', '1.20.0');
    await expect(find()).rejects.toThrow('which has server 1.20; required is 1.29 or a later 1.x');
  });

  test("prefers a fitting one in Go's folder to an old one on the PATH", async () => {
    putCli('bin', '1.28.9');
    const inGo = putCli('go/bin', '1.29.0');
    expect(await find()).toBe(inGo);
  });

  test('finds an earlier download in the cache folder', async () => {
    env['XDG_CACHE_HOME'] = path.join(home, 'cache');
    const cached = putCli('cache/sluice/temporal-cli-v1.5.1', '1.29.1');
    expect(await find()).toBe(cached);
  });

  test('fails with a message that lists three ways to get one and names the version that did not fit', async () => {
    putCli('bin', '2.0.0');
    const { message } = await find().then(
      () => new Error('found one'),
      (error: Error) => error,
    );
    expect(message).toMatch(
      /has server 2\.0; .*TEMPORAL_CLI_PATH.*go install .*@v1\.5\.1.*TEMPORAL_ADDRESS/s,
    );
  });
});
