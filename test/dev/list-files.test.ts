import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { listFiles } from '../../dev/list-files.ts';

const FILES = ['.gitignore', 'a.ts', 'docs/b.md'];

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-files-'));
  for (const name of [...FILES, 'node_modules/c/d.ts', '.data/e.ts']) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), name === '.gitignore' ? 'node_modules/\n.data/\n' : '');
  }
});
afterEach(() => rmSync(folder, { recursive: true }));

test('listFiles returns the same files with git and without it, and none that is made here', () => {
  expect(listFiles(folder).toSorted()).toEqual(FILES);
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  expect(listFiles(folder).toSorted()).toEqual(FILES);
});
