import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { runSnippet, snippetsIn } from '../page.ts';

const COMMAND = [process.execPath, '--no-warnings', '--input-type=module-typescript', '--eval'];

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ worker: false });
});
afterAll(() => gateway.close());

describe('docs/clients.md', () => {
  test.each(snippetsIn('ts'))('its snippet for $section prints what the page says', async (snippet) => {
    expect(await runSnippet(snippet, COMMAND, gateway)).toBe(snippet.printed);
  });
});
