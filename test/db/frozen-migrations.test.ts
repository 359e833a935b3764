/** Checks that merged migrations stay as they are, by the table of their hashes (ADR 0088). */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const FOLDER = new URL('../../migrations/', import.meta.url);
const TABLE = 'migrations/hashes.json';

/** Hashes by the names of files. */
type Hashes = Record<string, string>;

function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Returns what is wrong with each migration that differs from the table, as a sentence that says what to do. */
function faultsOf(files: Record<string, string>, merged: Hashes): string[] {
  return [...new Set([...Object.keys(merged), ...Object.keys(files)])].toSorted().flatMap((name) => {
    const content = files[name];
    if (content === undefined) return `migrations/${name} was merged: restore it, and write a new migration`;
    const line = `"${name}": "${hashOf(content)}"`;
    if (merged[name] === undefined) return `migrations/${name} is new: add ${line} to ${TABLE}`;
    if (merged[name] === hashOf(content)) return [];
    return `migrations/${name} was edited after its merge: restore it, and write a new migration`;
  });
}

test('every migration is the one that was merged', () => {
  const names = readdirSync(FOLDER).filter((name) => /^\d{14}_/.test(name));
  const files = names.map((name) => [name, readFileSync(new URL(name, FOLDER), 'utf8')] as const);
  const merged = JSON.parse(readFileSync(new URL('hashes.json', FOLDER), 'utf8')) as Hashes;
  expect(faultsOf(Object.fromEntries(files), merged)).toEqual([]);
});

test('the check names a migration that is edited, removed or not in the table, and says what to do', () => {
  const merged = { '1_a.ts': hashOf('a'), '2_b.ts': hashOf('b'), '3_c.ts': hashOf('c') };
  expect(faultsOf({ '1_a.ts': 'a', '2_b.ts': 'other', '4_d.ts': 'd' }, merged)).toEqual([
    'migrations/2_b.ts was edited after its merge: restore it, and write a new migration',
    'migrations/3_c.ts was merged: restore it, and write a new migration',
    `migrations/4_d.ts is new: add "4_d.ts": "${hashOf('d')}" to migrations/hashes.json`,
  ]);
});
