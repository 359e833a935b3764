import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { bundleWorkflows } from '../../dev/bundle-workflows.ts';

let root: string;
let dataDir: string;
let builds: number;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'sluice-bundle-'));
  dataDir = path.join(root, 'data');
  for (const folder of ['workflows', 'domain/videos', 'data']) {
    mkdirSync(path.join(root, folder), { recursive: true });
  }
  for (const file of SOURCES) writeFileSync(path.join(root, file), '');
  builds = 0;
});
afterEach(() => rmSync(root, { recursive: true }));

const SOURCES = ['workflows/index.ts', 'domain/videos/job.ts', 'package-lock.json'];

/** Bundles with a bundler that writes its count. */
function bundle(): Promise<string> {
  const run = ({ args }: { args: string[] }): Promise<void> => {
    writeFileSync(args[1]!, String(++builds));
    return Promise.resolve();
  };
  return bundleWorkflows(dataDir, { run }, root);
}

test('bundles again only when a source or a package has changed, and keeps one bundle', async () => {
  const first = await bundle();
  expect(await bundle()).toBe(first);
  for (const file of SOURCES) {
    appendFileSync(path.join(root, file), 'change');
    const before = builds;
    const bundled = await bundle();
    expect(readdirSync(dataDir)).toEqual([path.basename(bundled)]);
    expect(builds).toBe(before + 1);
  }
  expect(builds).toBe(SOURCES.length + 1);
});

test('bundles again after a bundler that ended before its file was whole', async () => {
  const dies = ({ args }: { args: string[] }): Promise<void> => {
    writeFileSync(args[1]!, 'half');
    return Promise.reject(new Error('killed'));
  };
  await expect(bundleWorkflows(dataDir, { run: dies }, root)).rejects.toThrow('killed');
  await bundle();
  expect(builds).toBe(1);
});
