import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openPassedChecks } from '../../dev/passed-checks.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-checks-'));
  write('.gitignore', 'node_modules/\n');
  write('a.ts', 'const a = 1;\n');
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): void {
  writeFileSync(path.join(folder, name), text);
}

function initGit(): void {
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
}

describe('the memory of passed checks', () => {
  test('knows a check that passed on the same files, also in a later run', () => {
    initGit();
    openPassedChecks(folder).add('types');
    expect(openPassedChecks(folder).has('types')).toBe(true);
    expect(openPassedChecks(folder).has('lint')).toBe(false);
  });

  test.each([
    ['changes', () => write('a.ts', 'const a = 2;\n')],
    ['appears', () => write('b.ts', '')],
    ['disappears', () => rmSync(path.join(folder, 'a.ts'))],
  ])('forgets all checks when a file %s', (_how, change) => {
    initGit();
    openPassedChecks(folder).add('types');
    change();
    expect(openPassedChecks(folder).has('types')).toBe(false);
  });

  test('does not count a check that passed while a file changed', () => {
    initGit();
    const passed = openPassedChecks(folder);
    write('a.ts', 'const a = 2;\n');
    passed.add('types');
    write('a.ts', 'const a = 1;\n');
    expect(openPassedChecks(folder).has('types')).toBe(false);
  });

  test('stays empty in a folder without git', () => {
    openPassedChecks(folder).add('types');
    expect(openPassedChecks(folder).has('types')).toBe(false);
  });
});
