/** Checks that actions in the browser take effect: on a running job, a webhook secret, a key, and two models. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { addKey, addWorkspace } from '../support/accounts.ts';
import { createCaller, type Caller } from '../support/caller.ts';
import { inStatus, submit } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type ConsolePage, type ConsoleScene, startConsole } from './support/console-scene.ts';

let scene: ConsoleScene;
let visit: ConsolePage;
let manager: Caller;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  scene = await startConsole({ worker: ['video', 'provider-io'] });
  manager = createCaller(scene.gateway.origin, scene.gateway.managementKey);
  visit = await scene.openPage();
  await visit.signIn(scene.gateway.managementKey);
});
afterAll(async () => {
  await scene?.close();
  await receiver?.close();
});

test('cancels a running job, also at its provider', async () => {
  const { page, open } = visit;
  const { gateway } = scene;
  gateway.upstream.addFaults({ kind: 'stall' });
  const { id } = await submit(gateway, { model: 'local/clip-1' });
  await inStatus(gateway, id, 'in_progress');
  await open(`/jobs/${id}`);
  await page.getByText('in progress', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Cancel job' }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel the job of local/clip-1?' });
  await dialog.getByRole('button', { name: 'Cancel job' }).click();
  await page.getByText('Ended: cancelled').waitFor();
  expect(await page.getByRole('button', { name: 'Cancel job' }).count()).toBe(0);
  expect(gateway.upstream.requests('delete')).toHaveLength(1);
});

test('rotates a webhook secret, which is shown once and signs the next event', async () => {
  const { page, open } = visit;
  await open(`/workspaces/${scene.gateway.workspaceId}`);
  await page.getByRole('button', { name: 'Rotate' }).click();
  const question = page.getByRole('dialog', { name: 'Rotate the secret?' });
  await question.getByRole('button', { name: 'Rotate secret' }).click();
  const shown = page.getByRole('dialog', { name: 'The new secret' });
  const secret = (await shown.getByTestId('new-secret').textContent())?.trim() ?? '';
  await page.keyboard.press('Escape');
  await shown.getByRole('button', { name: 'I have copied it' }).click();
  await shown.waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(secret);

  await page.getByLabel('URL', { exact: true }).fill(receiver.url);
  await page.getByRole('button', { name: 'Send a test event' }).click();
  await page.getByText('The receiver accepted it with status 204').waitFor();
  const [event] = await receiver.next(1);
  const check = () => new Webhook(secret).verify(event!.body, event!.headers as Record<string, string>);
  expect(check()).toMatchObject({ type: 'webhook.test' });
});

test('moves a key to another workspace', async () => {
  const { page, open } = visit;
  const { workspaceId } = await addWorkspace(scene.gateway);
  const { hash } = await addKey(scene.gateway, { name: 'On the move' });
  await open('/keys');
  await page.getByRole('button', { name: 'Edit On the move' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit key “On the move”' });
  await dialog.getByLabel('Workspace').selectOption(workspaceId);
  await dialog.getByText('The key moves').waitFor();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'On the move' }).waitFor({ state: 'detached' });
  await page.getByLabel('Workspace').selectOption(workspaceId);
  await page.getByRole('link', { name: 'On the move' }).waitFor();
  const answer = await manager.call('GET', `/keys/${hash}`);
  expect(await answer.json()).toMatchObject({ data: { workspace_id: workspaceId } });
});

test('asks two models side by side in the playground, and both answer', async () => {
  const { page, open } = visit;
  await open('/playground?model=local/echo-1');
  await page.getByLabel('Key that pays').selectOption({ label: 'First key' });
  await page.getByLabel('Second model').fill('local/chat-canned');
  await page.getByLabel('Message').fill('To both of you');
  await page.getByRole('button', { name: 'Send' }).click();
  const first = page.getByRole('region', { name: 'Conversation with local/echo-1' });
  const second = page.getByRole('region', { name: 'Conversation with local/chat-canned' });
  await first.getByText('You said: To both of you').waitFor();
  await second.getByText('This answer is the same for every question.').waitFor();
  await first.getByRole('link', { name: 'Generation' }).waitFor();
  await second.getByRole('link', { name: 'Generation' }).waitFor();
  const answer = await manager.call('GET', '/generations');
  const { data } = (await answer.json()) as { data: { model: string }[] };
  const models = data.map(({ model }) => model);
  expect(models).toEqual(expect.arrayContaining(['local/chat-canned', 'local/echo-1']));
});

test('no page causes an error of a script, or breaks a rule of the content policy', () => {
  expect(visit.problems).toEqual([]);
});
