import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runConsoleLink } from '../../admin/console-link.ts';
import { hashToken } from '../../services/accounts/identity/key-token.ts';
import { createDatabase } from '../support/open-database.ts';
import { type ConsolePage, type ConsoleScene, startConsole } from './support/console-scene.ts';

/** A text that would run as a script in a page that took it for HTML, and that turns the direction of its line. */
const HOSTILE = `</script><img src=x onerror="window.wasHacked=1"><b>javascript:alert(1)</b> \u202eolleh 🚤`;

let scene: ConsoleScene;
let visit: ConsolePage;

beforeAll(async () => {
  scene = await startConsole();
  visit = await scene.openPage();
});
afterAll(() => scene?.close());

describe('a link that signs in', () => {
  test('works once, and leaves its token neither in the address nor in the history', async () => {
    const { knex, close } = createDatabase({ url: scene.gateway.config.database.url, poolMax: 1 });
    const printed = await runConsoleLink(knex, scene.gateway.origin, [
      hashToken(scene.gateway.managementKey),
    ]);
    await close();
    const [address = ''] = printed.split('\n');
    await visit.page.goto(address);
    await visit.page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(visit.page.url()).not.toContain('link=');

    const other = await scene.openPage();
    await other.page.goto(address);
    await other.page.getByText('This key or link is not valid').waitFor();
  });
});

describe('text from outside', () => {
  let id: string;

  beforeAll(async () => {
    const management = { headers: { authorization: `Bearer ${scene.gateway.managementKey}` } };
    await scene.gateway.call('PATCH', `/workspaces/${scene.gateway.workspaceId}`, {
      ...management,
      body: { is_observability_io_logging_enabled: true, name: HOSTILE },
    });
    const answer = await scene.gateway.call('POST', '/chat/completions', {
      body: { model: 'local/echo-1', user: HOSTILE, messages: [{ role: 'user', content: HOSTILE }] },
    });
    ({ id } = (await answer.json()) as { id: string });
  });

  test('appears as text on the page of a generation, its input and output too', async () => {
    await visit.open(`/generations/${id}`);
    const logged = visit.page.locator('pre', { hasText: HOSTILE });
    // A page reads content again when it is opened, and content appears moments after its generation.
    while ((await logged.count()) < 2) {
      await visit.page.reload();
      await visit.page.getByRole('heading', { name: 'Input and output' }).waitFor();
      await visit.page.waitForLoadState('networkidle');
    }
    await logged.first().waitFor();
  });

  test('appears as text in lists and fields', async () => {
    await visit.open('/workspaces');
    await visit.page.getByRole('link', { name: 'onerror' }).click();
    await visit.page.getByRole('heading', { level: 1 }).filter({ hasText: HOSTILE }).waitFor();
    await visit.open(`/generations?model=${encodeURIComponent(HOSTILE)}`);
    await visit.page.getByText('No generation matches.').waitFor();
    expect(await visit.page.getByLabel('Model').inputValue()).toBe(HOSTILE);
  });

  test('appears as text in the playground', async () => {
    await visit.open('/playground?model=local/echo-1');
    await visit.page.getByLabel('Message').fill(HOSTILE);
    await visit.page.getByRole('button', { name: 'Send' }).click();
    await visit.page.getByText(`You said: ${HOSTILE}`).waitFor();
  });

  test('runs nowhere', async () => {
    expect(await visit.page.evaluate('window.wasHacked')).toBeUndefined();
    expect(visit.problems).toEqual([]);
  });
});

test('a chat that nobody answers can be stopped', async () => {
  const { page, open } = visit;
  await open('/playground?model=local/echo-1');
  // Nobody answers this call.
  await page.route('**/api/v1/chat/completions', () => undefined);
  await page.getByLabel('Message').fill('Stop me');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Stopped.').waitFor();
  await page.getByRole('button', { name: 'Send' }).waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});
