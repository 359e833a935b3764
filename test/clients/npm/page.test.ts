import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findFreePorts } from '../../../dev/ports.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../../support/gateway.ts';
import { PAGE, runSnippet, snippetsIn } from '../page.ts';

const COMMAND = [process.execPath, '--no-warnings', '--input-type=module-typescript', '--eval'];

let gateway: Gateway;
beforeAll(async () => {
  // Snippets follow the URLs of answers, which begin with PUBLIC_URL.
  const [port] = await findFreePorts(1);
  gateway = await startGateway({
    worker: ALL_QUEUES,
    env: { PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` },
  });
});
afterAll(() => gateway.close());

describe('docs/clients.md', () => {
  test.each(snippetsIn('ts'))(
    'its snippet for $section prints the output shown on the page',
    async (snippet) => {
      expect(await runSnippet(snippet, COMMAND, gateway)).toBe(snippet.printed);
    },
  );

  test('names the installed versions of the npm packages', () => {
    const pinned = new Map([...devDependencies('../../..'), ...devDependencies('..')]);
    const [npm = ''] = readFileSync(PAGE, 'utf8').split('\n## PyPI\n');
    const named = [...npm.matchAll(/`(?<name>[^`\n]+)` (?<version>\d+\.\d+\.\d+)/g)];
    expect(named.length).toBeGreaterThan(0);
    for (const { groups: { name = '', version } = {} } of named) {
      expect({ name, version }).toEqual({ name, version: pinned.get(name) });
    }
  });
});

function devDependencies(folder: string): [string, string][] {
  const file = path.join(import.meta.dirname, folder, 'package.json');
  const { devDependencies: pinned } = JSON.parse(readFileSync(file, 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  return Object.entries(pinned);
}
