/** Writes docs/openapi.json and docs/configuration.md from the code. */
import { writeFile } from 'node:fs/promises';
import { buildOpenApi } from '../contract/openapi.ts';
import { renderConfigurationPage } from './configuration-page.ts';

/**
 * The pages that this script generates from code: the OpenAPI document from the contract, the list of variables from
 * the configuration. Run it after a change there; tests compare the pages with the code.
 */
const PAGES = {
  'openapi.json': `${JSON.stringify(buildOpenApi(), null, 2)}\n`,
  'configuration.md': renderConfigurationPage(),
};

for (const [name, text] of Object.entries(PAGES)) {
  await writeFile(new URL(`../docs/${name}`, import.meta.url), text);
  process.stdout.write(`docs/${name}\n`);
}
