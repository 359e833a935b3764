import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Browser, chromium, type Page } from 'playwright-core';
import { operations } from '../../../contract/operations.ts';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { findChromium } from '../../support/find-chromium.ts';

let gateway: Gateway;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  const executablePath = findChromium();
  gateway = await startGateway();
  // Chromium refuses to run as root, as it does in containers, unless it is told not to use its sandbox.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  browser = await chromium.launch({ executablePath, args });
  page = await browser.newPage();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.close();
});

test('the reference lists every operation, takes a key and runs an example', async () => {
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())));

  await page.goto(`${gateway.origin}/docs`);
  await page.waitForSelector('.opblock');
  const shown = await page
    .locator('[id^="operations-"].opblock')
    .evaluateAll((all) => all.map(({ id }) => id));
  const ids = shown.map((id) => id.split('-').at(-1));
  expect(Object.keys(operations).filter((id) => !ids.includes(id))).toEqual([]);

  await page.click('.btn.authorize');
  await page.waitForSelector('#auth-bearer-value:focus');
  expect(await page.locator('.auth-container input:visible').count()).toBe(1);
  await page.keyboard.type(gateway.apiKey);
  await page.keyboard.press('Enter');
  await page.locator('.btn-done').first().click();

  await page.fill('.operation-filter-input', 'timeline of a video');
  await page.waitForFunction(
    () => document.querySelectorAll('.opblock[id^="operations-Videos"]').length === 1,
  );
  await page.fill('.operation-filter-input', 'post /videos');
  await page.locator('#operations-Videos-createVideo .opblock-summary-control').click();
  await page.locator('#operations-Videos-createVideo .try-out__btn').click();
  await page.locator('#operations-Videos-createVideo .execute').click();
  await page.waitForSelector(
    '#operations-Videos-createVideo .live-responses-table .response-col_status:has-text("202")',
  );
  expect(problems).toEqual([]);
});
