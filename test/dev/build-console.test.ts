import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { isOutdated } from '../../dev/console/build-console.ts';

let folder: string;

beforeEach(() => {
  folder = path.join(mkdtempSync(path.join(tmpdir(), 'sluice-build-')), 'console');
  mkdirSync(path.join(folder, 'src', 'pages'), { recursive: true });
  mkdirSync(path.join(folder, 'dist'));
});
afterEach(() => rmSync(path.dirname(folder), { recursive: true }));

function writeAt(name: string, seconds: number): void {
  const file = path.join(folder, name);
  writeFileSync(file, '');
  utimesSync(file, seconds, seconds);
}

test('a console without a build is built', () => {
  writeAt('src/main.tsx', 1_000);
  expect(isOutdated(folder)).toBe(true);
});

test('a console is built again only when a source or a package has changed since', () => {
  for (const name of ['src/main.tsx', 'src/pages/keys.tsx', 'index.html', '../package-lock.json']) {
    writeAt(name, 1_000);
  }
  writeAt('dist/index.html', 2_000);
  // A folder is newer than its build as soon as a file was added and removed, which changes nothing.
  expect(isOutdated(folder)).toBe(false);
  for (const name of ['src/pages/keys.tsx', 'index.html', '../package-lock.json']) {
    writeAt(name, 3_000);
    expect(isOutdated(folder)).toBe(true);
    writeAt(name, 1_000);
  }
});
