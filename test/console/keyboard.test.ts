/** Goes through the console by Tab and Enter alone. The focus is always visible, and never lost. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { type ConsolePage, type ConsoleScene, startConsole } from './support/console-scene.ts';

let scene: ConsoleScene;

beforeAll(async () => {
  scene = await startConsole();
});
afterAll(() => scene?.close());

/** More stops than any page has before the one that a test looks for. */
const MOST_STOPS = 60;

/** Says what is wrong with the focus; null if it is on an element that shows it. */
const FAULT_OF_FOCUS = `(() => {
  const focused = document.activeElement;
  if (focused === null || focused === document.body) return 'the focus is lost';
  if (focused.closest('dialog[open]') === null && document.querySelector('dialog[open]') !== null) {
    return 'the focus is behind the dialog';
  }
  const shown = focused.matches('[type=radio]') ? focused.parentElement : focused;
  const { outlineStyle, outlineWidth } = getComputedStyle(shown);
  const isShown = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
  return isShown ? null : 'no outline at ' + focused.outerHTML.slice(0, 120);
})()`;

const hasFocus = (place: Locator): Promise<boolean> =>
  place.evaluate((element) => element.ownerDocument.activeElement === element);

async function checkFocus(page: Page): Promise<void> {
  expect(await page.evaluate(FAULT_OF_FOCUS)).toBeNull();
}

/** Moves the focus with Tab, or backwards, until it is at the place. */
async function tabTo(place: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const page = place.page();
  await place.waitFor();
  for (let stop = 0; stop < MOST_STOPS && !(await hasFocus(place)); stop += 1) {
    await page.keyboard.press(key);
    await checkFocus(page);
  }
  expect(await hasFocus(place)).toBe(true);
}

/** Presses Enter at the place where the focus is, and waits for what follows. */
async function enter(place: Locator, next: Locator): Promise<void> {
  const page = place.page();
  expect(await hasFocus(place)).toBe(true);
  await page.keyboard.press('Enter');
  await next.waitFor();
  await checkFocus(page);
}

describe.each([
  ['a wide screen', 1440],
  ['a narrow one', 390],
])('the keyboard on %s', (_screen, width) => {
  let visit: ConsolePage;
  const isNarrow = width < 800;

  beforeAll(async () => {
    visit = await scene.openPage();
    await visit.page.setViewportSize({ width, height: 900 });
  });

  /** Opens the menu, which holds the navigation on narrow screens. */
  async function openMenu(key: 'Tab' | 'Shift+Tab', entry: Locator): Promise<void> {
    if (!isNarrow) return;
    const menu = visit.page.getByRole('button', { name: 'Menu' });
    await tabTo(menu, key);
    await enter(menu, entry);
  }

  test('signs in, and the focus goes to the page', async () => {
    const { page, open } = visit;
    await open('');
    const field = page.getByLabel('API key');
    await tabTo(field);
    await page.keyboard.insertText(scene.gateway.managementKey);
    await enter(field, page.getByRole('heading', { name: 'Overview', exact: true }));
    expect(await hasFocus(page.getByRole('main'))).toBe(true);
  });

  test('opens Keys from the navigation', async () => {
    const { page } = visit;
    const keys = page.getByRole('link', { name: 'Keys', exact: true });
    await openMenu('Shift+Tab', keys);
    await tabTo(keys, isNarrow ? 'Tab' : 'Shift+Tab');
    await enter(keys, page.getByRole('heading', { name: 'Keys', exact: true }));
  });

  test('makes a key, copies it, and returns to where it began', async () => {
    const { page } = visit;
    const create = page.getByRole('button', { name: 'Create key' });
    await tabTo(create);
    const dialog = page.getByRole('dialog', { name: 'Create key' });
    await enter(create, dialog);
    const name = dialog.getByLabel('Name');
    await tabTo(name);
    await page.keyboard.insertText(`By keyboard ${width}`);
    await enter(name, page.getByRole('dialog', { name: 'Your new key' }));
    const copy = page.getByRole('button', { name: 'Copy key' });
    const made = (await page.getByTestId('new-key').textContent())?.trim();
    await tabTo(copy);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Copied', exact: true }).waitFor();
    await checkFocus(page);
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(made);
    const done = page.getByRole('button', { name: 'I have copied it' });
    await tabTo(done);
    await enter(done, page.getByRole('link', { name: `By keyboard ${width}` }));
    expect(await hasFocus(create)).toBe(true);
  });

  test('deletes that key, and keeps the focus on the page when its row is gone', async () => {
    const { page } = visit;
    const row = page.getByRole('row').filter({ hasText: `By keyboard ${width}` });
    const remove = row.getByRole('button', { name: /^Delete/ });
    await tabTo(remove);
    await enter(remove, page.getByRole('dialog'));
    const confirm = page.getByRole('button', { name: 'Delete key' });
    await tabTo(confirm);
    await page.keyboard.press('Enter');
    await row.waitFor({ state: 'detached' });
    await checkFocus(page);
  });

  test('signs out, and the focus is in the field for a key', async () => {
    const { page } = visit;
    const leave = page.getByRole('button', { name: 'Sign out' });
    await openMenu('Shift+Tab', leave);
    await tabTo(leave, isNarrow ? 'Tab' : 'Shift+Tab');
    await enter(leave, page.getByRole('heading', { name: 'Sign in to Sluice' }));
    expect(await hasFocus(page.getByLabel('API key'))).toBe(true);
    expect(visit.problems).toEqual([]);
  });
});
