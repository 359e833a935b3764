import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PYTHON_CLIENTS } from '../../../dev/clients/python-clients.ts';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { PAGE, runSnippet, snippetsIn } from '../page.ts';
import { type Environment, pythonOf } from './run-script.ts';

/** The environments of the clients that are not in the newest one, by the section. */
const ENVIRONMENTS: Record<string, Environment> = {
  '`langchain-openrouter`': 'older',
  '`instructor`': 'older',
  '`litellm`': 'litellm',
};

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

describe('docs/clients.md', () => {
  test.each(snippetsIn('python'))(
    'its snippet for $section prints the output shown on the page',
    async (snippet) => {
      const python = pythonOf(ENVIRONMENTS[snippet.section] ?? 'newest');
      expect(await runSnippet(snippet, [python, '-c'], gateway)).toBe(snippet.printed);
    },
  );

  test('names the installed versions of the PyPI packages', () => {
    const pins = Object.values(PYTHON_CLIENTS).flatMap(({ requirement, version, extraPackages }) => [
      `${requirement}==${version}`,
      ...extraPackages,
    ]);
    const [, section = ''] = /\n## PyPI\n([^]*?)\n## /.exec(readFileSync(PAGE, 'utf8')) ?? [];
    const named = [...section.matchAll(/`(?<name>[^`\n]+)` (?<version>\d+\.\d+\.\d+)/g)];
    expect(named.length).toBeGreaterThan(6);
    for (const { groups: { name = '', version } = {} } of named)
      expect(pins).toContain(`${name}==${version}`);
  });
});
