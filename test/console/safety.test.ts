/** Checks that other sites, other tabs, long texts and hostile names cannot harm who uses the console. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { hashToken } from '../../services/accounts/identity/key-token.ts';
import { type LoopbackServer, startLoopbackServer } from '../platform/loopback-server.ts';
import { addKey, setKeyDisabled } from '../support/accounts.ts';
import { addChatModel } from '../support/catalog.ts';
import { type ConsolePage, type ConsoleScene, startConsole } from './support/console-scene.ts';

const HOSTILE = `</script><img src=x onerror="window.wasHacked=1">javascript:alert(1) \u202eolleh 🚤`;
/** More than the pages of other consoles survive, and less than where content is cut. */
const LONG = 'A sentence of a long prompt. '.repeat(3_500);

let scene: ConsoleScene;
let visit: ConsolePage;

beforeAll(async () => {
  scene = await startConsole();
  visit = await scene.openPage();
  await visit.signIn(scene.gateway.managementKey);
});
afterAll(() => scene?.close());

const management = () => ({ headers: { authorization: `Bearer ${scene.gateway.managementKey}` } });
const overview = (page: Page) => page.getByRole('heading', { name: 'Overview' }).waitFor();
const signInPage = (page: Page) => page.getByRole('heading', { name: 'Sign in to Sluice' }).waitFor();

/** Another port is of the same site: browsers send it the cookie, and tell the gateway whose page asks. */
describe.each([
  ['another site', 'localhost'],
  ['another port of the same host', '127.0.0.1'],
])('%s', (_, host) => {
  let attacker: LoopbackServer;
  const addressOf = ({ origin }: LoopbackServer) => origin.replace('127.0.0.1', host);

  beforeAll(async () => {
    attacker = await startLoopbackServer((request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<title>Win</title><iframe src="${scene.gateway.origin}/console/keys"></iframe>`);
      request.resume();
    });
  });
  afterAll(() => attacker.close());

  test('cannot show the console in a frame', async () => {
    const page = await visit.context.newPage();
    await page.goto(addressOf(attacker));
    const frame = page.frames().find((child) => child !== page.mainFrame());
    await page.waitForLoadState('networkidle');
    expect(frame?.url()).toMatch(/^(chrome-error:|about:)/);
    await page.close();
  });

  test('cannot read the API with the cookie, or change anything', async () => {
    const page = await visit.context.newPage();
    await page.goto(addressOf(attacker));
    const answers = await page.evaluate(
      `Promise.all(['GET', 'POST'].map((method) =>
        fetch('${scene.gateway.origin}/api/v1/keys', {
          method, credentials: 'include', ...(method === 'POST' && { body: '{"name":"forged"}' }),
        }).then((answer) => answer.status, () => 'refused')))`,
    );
    expect(answers).toEqual(['refused', 'refused']);
    const keys = await scene.gateway.call('GET', '/keys', management());
    expect(await keys.text()).not.toContain('forged');
    await page.close();
  });
});

describe('an address that names another site', () => {
  test.each([
    '//evil.example',
    '/\\evil.example',
    '/sign-in?next=//evil.example',
    '/sign-in?redirect=javascript:alert(1)',
  ])('gains nothing from a link to %s', async (address) => {
    const fresh = await scene.openPage();
    await fresh.page.goto(`${scene.gateway.origin}/console${address}`);
    await fresh.page.getByLabel('API key').fill(scene.gateway.managementKey);
    await fresh.page.getByRole('button', { name: 'Sign in' }).click();
    await fresh.page.getByRole('navigation', { name: 'Pages' }).waitFor();
    expect(new URL(fresh.page.url()).origin).toBe(scene.gateway.origin);
    expect(fresh.problems).toEqual([]);
    await fresh.context.close();
  });
});

describe('two tabs', () => {
  test('signs out both tabs when one signs out', async () => {
    const own = await scene.openPage();
    await own.signIn(scene.gateway.managementKey);
    const other = await own.context.newPage();
    await other.goto(`${scene.gateway.origin}/console/overview`);
    await overview(other);
    await own.page.getByRole('button', { name: 'Sign out' }).click();
    await signInPage(own.page);
    await other.reload();
    await signInPage(other);
    await own.context.close();
  });

  test('signs out both tabs when their key is disabled', async () => {
    const key = await addKey(scene.gateway);
    const own = await scene.openPage();
    await own.signIn(key.token);
    const other = await own.context.newPage();
    await other.goto(`${scene.gateway.origin}/console/models`);
    await setKeyDisabled(scene.gateway, hashToken(key.token), true);
    for (const page of [own.page, other]) {
      // A page that reads now and then may have noticed by itself.
      await page.reload();
      await signInPage(page);
    }
    await own.context.close();
  });
});

test('back and forward show the filters of each step', async () => {
  const { page, open } = visit;
  await open('/generations');
  await page.getByLabel('Status').selectOption('failed');
  await page.waitForURL(/status=failed/);
  await page.getByRole('link', { name: 'Models' }).click();
  await page.getByRole('heading', { name: 'Models' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Generations' }).waitFor();
  expect(await page.getByLabel('Status').inputValue()).toBe('failed');
  await page.goForward();
  await page.getByRole('heading', { name: 'Models' }).waitFor();
});

test('a reload in the middle of an answer leaves a usable page and a recorded generation', async () => {
  const { page, open } = visit;
  await open('/playground?model=local/echo-1');
  scene.gateway.upstream.addFaults({ kind: 'hang', on: 'chat', times: 1, delayMs: 0 });
  await page.getByLabel('Message').fill('Reload me');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Waiting for the first token…').waitFor();
  await page.reload();
  await page.getByLabel('Message').fill('Again');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('You said: Again').waitFor();
  await open('/generations?status=cancelled');
  await page.getByRole('table').getByText('echo-1').first().waitFor();
});

describe('a long and a hostile text', () => {
  beforeEach(() => visit.open('/overview'));

  test('sends and shows 100 kB', async () => {
    const { page, open } = visit;
    await open('/playground?model=local/echo-1');
    await page.getByLabel('Message').fill(LONG);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('You said:').waitFor();
    const asked = page.getByRole('listitem').getByText('A sentence of a long prompt.').first();
    expect((await asked.innerText()).length).toBeGreaterThan(100_000);
  });

  test('shows the name of a model and a filter as text', async () => {
    const { page, open } = visit;
    await addChatModel(scene.gateway, 'evil/model', [{ provider: 'local', upstreamModelId: 'echo-1' }]);
    await scene.gateway.database.query(`update models set name = $1 where id = 'evil/model'`, [HOSTILE]);
    await open('/models?q=evil');
    await page.getByText('evil/model').first().waitFor();
    await open(`/generations?external_user=${encodeURIComponent(HOSTILE)}`);
    await page.getByText('No generation matches.').waitFor();
  });

  test('shows the error of a provider as text', async () => {
    const { page, open } = visit;
    scene.gateway.upstream.addFaults({
      kind: 'status',
      on: 'chat',
      times: 1,
      delayMs: 0,
      status: 400,
      message: HOSTILE,
    });
    await open('/playground?model=local/echo-1');
    await page.getByLabel('Message').fill('Fail');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('alert').getByText('onerror').first().waitFor();
  });

  test('becomes no link in an answer', async () => {
    const { page, open } = visit;
    await open('/playground?model=local/echo-1');
    await page
      .getByLabel('Message')
      .fill('[click](javascript:alert(1)) <a href="javascript:alert(1)">x</a> data:text/html,x');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('You said:').waitFor();
    expect(await page.locator('a[href^="javascript:"], a[href^="data:"]').count()).toBe(0);
  });

  test('runs nowhere', async () => {
    expect(await visit.page.evaluate('window.wasHacked')).toBeUndefined();
    expect(visit.problems).toEqual([]);
  });
});
