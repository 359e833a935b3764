import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { chmodSync, cpSync, lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { postgresAccount } from '../../dev/postgres/postgres-account.ts';
import { binaryPackage, findPostgresBinaries } from '../../dev/postgres/postgres-binaries.ts';

let parent: string;
let copies: string;

beforeAll(() => {
  parent = mkdtempSync(path.join(tmpdir(), 'sluice-binaries-'));
  chmodSync(parent, 0o755);
  copies = path.join(parent, 'copies');
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

test('Postgres runs from a copy when npm left its links and permissions out', () => {
  const folder = path.join(parent, 'package');
  const isNoLink = (source: string): boolean => !lstatSync(source).isSymbolicLink();
  cpSync(binaryPackage().folder, folder, { recursive: true, filter: isNoLink });
  chmodSync(folder, 0o700);
  const account = postgresAccount();
  const copied = { folder, name: 'postgres-copy' };
  const binaries = findPostgresBinaries(account, copied, () => copies);
  expect(binaries.postgres.startsWith(path.join(copies, 'postgres-copy'))).toBe(true);
  expect(findPostgresBinaries(account, copied, () => copies)).toEqual(binaries);
});
