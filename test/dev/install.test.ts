import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

let checkout: string;

beforeEach(() => {
  checkout = mkdtempSync(path.join(tmpdir(), 'sluice-install-'));
  mkdirSync(path.join(checkout, 'dev'));
  copyFileSync(path.join(import.meta.dirname, '../../dev/install.cjs'), inCheckout('dev/install.cjs'));
  write('package.json', { devDependencies: { node: process.versions.node } });
  write('package-lock.json', {
    packages: { '': {}, 'node_modules/a': { version: '1.0.0' }, ...FOREIGN, ...WORKSPACE },
  });
  // Stands in for npm: says what it was asked, and does what the test wrote.
  writeFileSync(
    inCheckout('npm-cli.js'),
    `console.log('npm', ...process.argv.slice(2)); require('./npm-does.js');`,
  );
  writeFileSync(inCheckout('npm-does.js'), '');
});
afterEach(() => rmSync(checkout, { recursive: true, force: true }));

/** A binary of another system is locked, and never installed. */
const FOREIGN = { 'node_modules/b-for-another-system': { version: '1.0.0', optional: true } };
/** A folder of the checkout itself, which needs no installation. */
const WORKSPACE = {
  own: { version: '1.0.0', dependencies: { a: '1.0.0' } },
  'node_modules/own': { resolved: 'own', link: true },
};

function inCheckout(name: string): string {
  return path.join(checkout, name);
}

function write(name: string, content: unknown): void {
  mkdirSync(path.dirname(inCheckout(name)), { recursive: true });
  writeFileSync(inCheckout(name), JSON.stringify(content));
}

function putInstalled(version: string): void {
  write('node_modules/.package-lock.json', { packages: { 'node_modules/a': { version } } });
}

function putRuntime(): void {
  mkdirSync(inCheckout('node_modules/.bin'), { recursive: true });
  symlinkSync(process.execPath, inCheckout('node_modules/.bin/node'));
}

function install(): { status: number | null; stdout: string; stderr: string } {
  const env = { PATH: process.env['PATH'] ?? '', npm_execpath: inCheckout('npm-cli.js') };
  return spawnSync(process.execPath, [inCheckout('dev/install.cjs')], { encoding: 'utf8', env });
}

describe('the install step', () => {
  test('does nothing and prints nothing when everything is installed', () => {
    putInstalled('1.0.0');
    putRuntime();
    expect(install()).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });

  test.each([
    ['on a bare checkout', undefined],
    ['when the lock file wants another version', '0.9.0'],
  ])('runs npm ci %s', (_when, version) => {
    if (version !== undefined) putInstalled(version);
    putRuntime();
    const { status, stdout } = install();
    expect(status).toBe(0);
    expect(stdout).toContain('npm ci --include=dev');
  });

  test("exits 1 and names npm's exit code when npm ci fails", () => {
    writeFileSync(inCheckout('npm-does.js'), 'process.exit(7)');
    const { status, stderr } = install();
    expect(status).toBe(1);
    expect(stderr).toContain('npm ci failed (exit code 7)');
  });

  test("exits 1 and prints the command when npm skipped the runtime's script", () => {
    putInstalled('1.0.0');
    const { status, stderr } = install();
    expect(status).toBe(1);
    expect(stderr).toContain('npm rebuild node --ignore-scripts=false');
  });

  test('prints the command when the runtime has another version or is broken', () => {
    putInstalled('1.0.0');
    putRuntime();
    write('package.json', { devDependencies: { node: '99.0.0' } });
    expect(install().stderr).toMatch(/is version \d+.*, wanted 99\.0\.0\.\nType: {2}npm ci/);

    rmSync(inCheckout('node_modules/.bin/node'));
    writeFileSync(inCheckout('node_modules/.bin/node'), 'not a program', { mode: 0o755 });
    expect(existsSync(inCheckout('node_modules/.bin/node'))).toBe(true);
    expect(install().stderr).toContain('does not run on this machine');
  });
});
