import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { EXAMPLE_PICTURE } from '../../contract/example-picture.ts';
import { runConsoleLink } from '../../admin/console-link.ts';
import { hashToken } from '../../services/accounts/identity/key-token.ts';
import { createDatabase } from '../support/open-database.ts';
import { type ConsolePage, type ConsoleScene, startConsole } from './support/console-scene.ts';
import { faultsOfBothLooks } from './support/faults-of-access.ts';

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

/** A second of silence: a WAV file of 8,000 samples a second. */
function silence(): string {
  const samples = 8_000;
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples, 4);
  head.write('WAVEfmt ', 8);
  for (const [at, value] of [
    [16, 16],
    [24, 8_000],
    [28, 8_000],
    [40, samples],
  ] as const) {
    head.writeUInt32LE(value, at);
  }
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    head.writeUInt16LE(value, at);
  head.write('data', 36);
  return Buffer.concat([head, Buffer.alloc(samples, 128)]).toString('base64');
}

describe('pictures and sounds of messages', () => {
  const elsewhere = 'https://pictures.example.com/boat.png?<b>';
  const drawing = Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="window.wasHacked=1">
       <image href="https://pictures.example.com/spy.png"/><script>window.wasHacked=1</script></svg>`,
  ).toString('base64');
  const hostile = [
    'javascript:window.wasHacked=1',
    `data:text/html,<script>window.wasHacked=1</script>`,
    `data:image/svg+xml,<svg onload="window.wasHacked=1">`,
    `data:image/png;base64,AA" onerror="window.wasHacked=1`,
    'file:///etc/passwd',
    'https://',
    '[image/png removed]',
  ];
  const imagePart = (url: string) => ({ type: 'image_url', image_url: { url } });
  const soundPart = (data: string) => ({ type: 'input_audio', input_audio: { data, format: 'wav' } });
  let asked: string[];

  beforeAll(async () => {
    const content = [
      { type: 'text', text: 'What is this?' },
      ...[EXAMPLE_PICTURE, `data:image/svg+xml;base64,${drawing}`, elsewhere, ...hostile].map(imagePart),
      ...[silence(), `data:audio/wav;base64,${silence()}`, 'UklGRg==', '[removed]'].map(soundPart),
      { type: 'image_url', image_url: null },
    ];
    const data = {
      input: { messages: [{ role: 'user', content }] },
      output: { completion: 'A boat.', reasoning: null },
      error: null,
    };
    const answer = await scene.gateway.call('POST', '/chat/completions', {
      body: { model: 'local/echo-1', messages: [{ role: 'user', content: 'Hello' }] },
    });
    const { id } = (await answer.json()) as { id: string };
    // The gateway's own log removes media. Only logs of another version have them.
    await visit.page.route('**/api/v1/generation/content*', (route) => route.fulfill({ json: { data } }));
    asked = [];
    visit.page.on('request', (request) => asked.push(request.url()));
    await visit.open(`/generations/${id}`);
    await visit.page.getByText('What is this?').waitFor();
  });
  afterAll(() => visit.page.unrouteAll({ behavior: 'ignoreErrors' }));

  test('show pictures that the log contains, and only link to those elsewhere', async () => {
    const { page } = visit;
    for (const name of ['Picture 1 from user', 'Picture 2 from user']) {
      const picture = page.getByRole('img', { name, exact: true });
      await picture.scrollIntoViewIfNeeded();
      await picture.evaluate('(image) => image.decode()');
    }
    const link = page.getByRole('link', { name: elsewhere });
    expect(await link.getAttribute('href')).toBe(elsewhere);
    expect(await link.getAttribute('rel')).toBe('noreferrer');
    expect(await page.locator('main img').count()).toBe(2);
    expect(await faultsOfBothLooks(page)).toEqual([]);
  });

  test('show every other value as text, which runs and fetches nothing', async () => {
    const { page } = visit;
    const shown = await page.locator('pre').first().textContent();
    for (const value of hostile) expect(shown).toContain(`image_url: ${value}`);
    expect(shown).toContain('input_audio: [removed]');
    expect(await page.locator('main a[href^="javascript"], main a[href^="data"]').count()).toBe(0);
    expect(asked.filter((url) => !url.startsWith(scene.gateway.origin) && !url.startsWith('data:'))).toEqual(
      [],
    );
    expect(await page.evaluate('window.wasHacked')).toBeUndefined();
  });

  test('play a sound to its end, and say so when the browser cannot', async () => {
    const { page } = visit;
    const sounds = page.getByRole('button', { name: 'Play', exact: true });
    expect(await sounds.count()).toBe(3);
    for (const index of [0, 1]) {
      await sounds.nth(index).click();
      const stop = page.getByRole('button', { name: 'Stop', exact: true });
      await stop.waitFor();
      await stop.waitFor({ state: 'detached' });
    }
    await sounds.nth(2).click();
    await page.getByText('The browser cannot play this sound.').waitFor();
  });

  test('show the pictures of an answer in the playground', async () => {
    const { page, open } = visit;
    const delta = {
      content: 'Here it is',
      images: [imagePart(EXAMPLE_PICTURE), imagePart(hostile[0]!), null],
    };
    const body = `data: ${JSON.stringify({ choices: [{ delta }] })}\n\ndata: [DONE]\n\n`;
    await page.route('**/api/v1/chat/completions', (route) =>
      route.fulfill({ contentType: 'text/event-stream', body }),
    );
    await open('/playground?model=local/echo-1');
    await page.getByLabel('Message').fill('Draw a boat');
    await page.getByRole('button', { name: 'Send' }).click();
    const picture = page.getByRole('img', { name: 'Picture 1 from the model' });
    await picture.evaluate('(image) => image.decode()');
    await page.getByText(hostile[0]!, { exact: true }).waitFor();
    expect(await page.locator('main img').count()).toBe(1);
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
