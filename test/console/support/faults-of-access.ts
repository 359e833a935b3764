/** Looks for faults of accessibility in a page, by axe-core. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Returns each fault with the elements that have it. */
export async function faultsOfAccess(page: Page): Promise<string[]> {
  // The text is evaluated by the browser's tools, so that the content policy of the page stays as it is.
  if (await page.evaluate(`typeof axe === 'undefined'`)) await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
  )) as axe.AxeResults;
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`,
  );
}

/** Returns the faults of a page in light and in dark colours, of one load. Leaves it light. */
export async function faultsOfBothLooks(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await faultsOfAccess(page);
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await faultsOfAccess(page);
  return [...dark.map((fault) => `dark: ${fault}`), ...light.map((fault) => `light: ${fault}`)];
}
