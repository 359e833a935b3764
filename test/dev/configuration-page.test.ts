import { expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { renderConfigurationPage } from '../../dev/configuration-page.ts';
import { allVariables } from '../platform/config-setup.ts';

test('docs/configuration.md equals the page made from the variables', async () => {
  const committed = await readFile(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
  expect(committed).toBe(renderConfigurationPage());
});

test('the configuration page has every variable', () => {
  const page = renderConfigurationPage();
  for (const name of Object.keys(allVariables)) expect(page).toContain(`### \`${name}\`\n`);
});

test("every example of a variable passes the variable's own rule", () => {
  for (const { rule, example } of Object.values(allVariables)) {
    if (!example.includes('<')) expect(() => rule(example)).not.toThrow();
  }
});
