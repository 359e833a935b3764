import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type ConsolePage, type ConsoleScene, startConsole } from './support/console-scene.ts';

let scene: ConsoleScene;
let visit: ConsolePage;
let receiver: Receiver;
let madeKey: string;

beforeAll(async () => {
  receiver = await startReceiver();
  scene = await startConsole({ worker: ['video', 'webhooks'] });
  visit = await scene.openPage();
});
afterAll(async () => {
  await scene?.close();
  await receiver?.close();
});

describe('an administrator in the console', () => {
  test('signs in at any address, and then sees the page of that address', async () => {
    const { page, open } = visit;
    await open('/keys');
    await page.getByLabel('API key').fill('sk-slc-wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This key or link is not valid').waitFor();
    await page.getByLabel('API key').fill(scene.gateway.managementKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    expect(
      await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])'),
    ).not.toContain(scene.gateway.managementKey);
  });

  test('makes a key that is shown once', async () => {
    const { page } = visit;
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create key' });
    await dialog.getByLabel('Name').fill('Made <b>here</b>');
    await dialog.getByLabel('Limit in US dollars').fill('5');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    madeKey = (await page.getByTestId('new-key').textContent())?.trim() ?? '';
    expect(madeKey).toMatch(/^sk-/);
    expect((await scene.gateway.call('GET', '/key', withKey(madeKey))).status).toBe(200);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('link', { name: 'Made <b>here</b>' }).waitFor();
    expect(await page.content()).not.toContain(madeKey);
  });

  test('chats with that key, and finds the generation and its cost', async () => {
    const { page } = visit;
    await page.getByRole('link', { name: 'Playground' }).click();
    await page.getByLabel('Key that pays').selectOption({ label: 'Made <b>here</b>' });
    await page.getByLabel('Model', { exact: true }).fill('local/echo-1');
    await page.getByLabel('Message').fill('Tell me about sluices');
    await page.keyboard.press('Enter');
    await page.getByText('You said: Tell me about sluices').waitFor();
    await page.getByRole('link', { name: 'Generation', exact: true }).click();
    await page.getByRole('heading', { name: 'Timing' }).waitFor();
    const charged = await page.locator('dd data').first().getAttribute('value');
    expect(Number(charged)).toBeGreaterThan(0);

    await page.getByRole('link', { name: 'Generations' }).click();
    const row = page.getByRole('row').filter({ hasText: 'Made <b>here</b>' });
    await row.getByText('local/echo-1').waitFor();

    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('button', { name: /^Requests 1$/ }).waitFor();
    const spend = page.getByRole('button', { name: /^Spend/ }).locator('[title]');
    expect(await spend.getAttribute('title')).toBe(`$${charged}`);
  });

  test('copies a list as a curl command with the key as a variable', async () => {
    const { page, open } = visit;
    await open('/generations?status=completed');
    await page.getByRole('button', { name: 'Copy as curl' }).first().click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      `curl '${scene.gateway.origin}/api/v1/generations?status=completed' \\\n  -H "Authorization: Bearer $SLUICE_API_KEY"`,
    );
  });

  test('watches a video job to its end, and plays the video', async () => {
    const { page, open } = visit;
    const accepted = await scene.gateway.call('POST', '/videos', {
      ...withKey(madeKey),
      body: { model: 'local/clip-1', prompt: 'A paper boat', callback_url: receiver.url },
    });
    const { id } = (await accepted.json()) as { id: string };
    await open(`/jobs/${id}`);
    await page.getByText('Ended: completed').waitFor();
    await eventually('the video', async () =>
      (await page.evaluate('document.querySelector("video")?.readyState >= 1')) === true ? true : undefined,
    );
    await page.getByText('Webhook attempt 1: delivered (204)').waitFor();
  });

  test('replays the webhook of that job, which the receiver gets again with the same id', async () => {
    const { page } = visit;
    await page.getByRole('link', { name: 'Webhooks' }).click();
    const row = page.getByRole('row').filter({ hasText: receiver.url });
    await row.getByText('1, the last delivered 204').click();
    await row.getByRole('listitem').filter({ hasText: 'delivered 204' }).waitFor();
    await row.getByRole('button', { name: 'Replay' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay this event?' });
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await dialog.waitFor({ state: 'detached' });
    const [first, second] = await receiver.next(2);
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(second!.body).toBe(first!.body);
    await row.getByText('2, the last delivered 204').waitFor();
  });

  test('disables the key of a session, which then has to sign in again', async () => {
    const other = await scene.openPage();
    await other.signIn(madeKey);
    await other.open('/generations?live=1');
    await other.page.getByRole('heading', { name: 'Generations' }).waitFor();
    // Pages that a regular key may not read are absent, and say so at their address.
    expect(await other.page.getByRole('link', { name: 'Keys' }).count()).toBe(0);

    const { page, open } = visit;
    await open('/keys');
    await page.getByRole('button', { name: 'Disable Made <b>here</b>' }).click();
    await page.getByRole('button', { name: 'Disable key' }).click();
    await page.getByText('disabled', { exact: true }).waitFor();
    await other.page.getByRole('heading', { name: 'Sign in to Sluice' }).waitFor();
    expect((await scene.gateway.call('GET', '/key', withKey(madeKey))).status).toBe(401);
  });

  test('signs out', async () => {
    const { page } = visit;
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Sluice' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in to Sluice' }).waitFor();
  });

  test('causes no error of a script, and breaks no rule of the content policy', () => {
    expect(visit.problems).toEqual([]);
  });
});

const withKey = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
