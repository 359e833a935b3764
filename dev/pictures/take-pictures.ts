/** Takes pictures of the console's main pages, in both colours and on a wide and a narrow screen. */
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';
import { hashToken } from '../../services/accounts/identity/key-token.ts';
import { findChromium } from '../../test/support/find-chromium.ts';
import { makeConsoleLink } from '../stack/console-link.ts';
import type { DevFile } from '../stack/dev-file.ts';
import { StackError } from '../stack-error.ts';

const SCREENS = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];
const COLOURS = ['light', 'dark'] as const;
const POLL_MS = 500;
const SPINNER_FADES_MS = 1_000;

/** Opens a page and resolves when it shows what the picture is about. */
type Scene = (page: Page) => Promise<unknown>;

/** Writes the pictures into the folder, under the names by which the documentation has them. Returns their number. */
export async function takePictures(facts: DevFile, folder: string): Promise<number> {
  // Chromium refuses to run as root, as it does in containers, unless it is told not to use its sandbox.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath: findChromium(), args });
  try {
    const page = await browser.newPage({ locale: 'en-US', timezoneId: 'UTC' });
    await page.goto(await makeConsoleLink(facts));
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const scenes = Object.entries(await makeScenes(facts));
    let taken = 0;
    for (const colorScheme of COLOURS) {
      await page.emulateMedia({ colorScheme });
      for (const screen of SCREENS) {
        await page.setViewportSize(screen);
        for (const [name, show] of scenes) {
          await show(page);
          await page.waitForLoadState('networkidle');
          await page.screenshot({
            path: path.join(folder, `console-${name}-${colorScheme}-${screen.width}.png`),
          });
          taken += 1;
        }
      }
    }
    return taken;
  } finally {
    await browser.close();
  }
}

/** Makes a logged chat and a video, and returns how to show each page. */
async function makeScenes(facts: DevFile): Promise<Record<string, Scene>> {
  const console = new URL('/console', facts.base_url).href;
  const { api_key: key, management_key: managementKey } = facts;
  await callApi(facts, managementKey, 'PATCH', `/workspaces/${facts.workspace_id}`, {
    is_observability_io_logging_enabled: true,
  });
  const chat = await callApi(facts, key, 'POST', '/chat/completions', {
    model: 'local/echo-1',
    messages: [
      { role: 'system', content: 'You are a lock keeper.' },
      { role: 'user', content: 'What is a sluice?' },
    ],
  });
  const job = await callApi(facts, key, 'POST', '/videos', {
    model: 'local/clip-1',
    prompt: 'A paper boat crossing a rain puddle',
  });
  await untilFound(facts, `/generation/content?id=${chat.id}`);
  return {
    overview: async (page) => {
      await page.goto(`${console}/overview?range=30d`);
      await page.locator('canvas').first().waitFor();
    },
    generations: async (page) => {
      await page.goto(`${console}/generations`);
      await page.getByRole('table').waitFor();
    },
    generation: async (page) => {
      await page.goto(`${console}/generations/${chat.id}`);
      await page.getByText('You said: What is a sluice?').waitFor();
    },
    job: async (page) => {
      await page.goto(`${console}/jobs/${job.id}`);
      await page.getByText('Ended: completed').waitFor();
      // Until a frame of the video is there, and for a moment more, the player shows that it loads.
      await page.waitForFunction('document.querySelector("video")?.readyState >= 2');
      await page.waitForTimeout(SPINNER_FADES_MS);
    },
    playground: async (page) => {
      const search = `model=local/echo-1&second=local/chat-canned&key=${hashToken(key)}`;
      await page.goto(`${console}/playground?${search}`);
      await page.getByLabel('Message').fill('What does a sluice do, in one sentence?');
      await page.getByRole('button', { name: 'Send' }).click();
      for (const answer of [0, 1]) {
        await page.getByRole('link', { name: 'Generation', exact: true }).nth(answer).waitFor();
      }
      await page.evaluate('document.activeElement.blur(), scrollTo(0, 0)');
    },
  };
}

/** Calls the API, and returns the id of what it made. */
async function callApi(
  { base_url: baseUrl }: DevFile,
  key: string,
  method: string,
  target: string,
  body: object,
): Promise<{ id: string }> {
  const response = await fetch(baseUrl + target, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) {
    throw new StackError(`${method} ${target} answered ${response.status}: ${await response.text()}`);
  }
  return (await response.json()) as { id: string };
}

/** Waits for what appears moments after its request. */
async function untilFound({ base_url: baseUrl, api_key: key }: DevFile, target: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  while ((await fetch(baseUrl + target, { headers })).status !== 200) await delay(POLL_MS);
}
