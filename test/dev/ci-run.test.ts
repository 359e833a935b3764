import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../../dev/settings.ts';

const script = readFileSync(path.join(ROOT, '.ci/run'), 'utf8');

function foldersOf(parent: string): string[] {
  const entries = readdirSync(path.join(ROOT, parent), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && entry.name !== 'node_modules');
  return folders.map(({ name }) => `${parent}/${name}`);
}

test.each([...foldersOf('test/external'), ...foldersOf('test/clients')])(
  '.ci/run runs %s, or says why it does not',
  (folder) => {
    expect(script).toMatch(new RegExp(`${folder}\\b`));
  },
);
