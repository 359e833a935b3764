/** Opens the overview in Chromium, and measures how long it takes to show its figures and its chart. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { MeasuredGateway } from '../gateway-process.ts';

export interface SignedIn {
  browser: Browser;
  /** The cookies of a session. */
  session: Awaited<ReturnType<BrowserContext['storageState']>>;
  gateway: Pick<MeasuredGateway, 'origin' | 'pid' | 'apiKey'>;
}

/** Opens a page of the console in a context of its own, which has loaded no file before. */
export async function openSignedIn({ browser, session, gateway }: SignedIn, path: string): Promise<Page> {
  const context = await browser.newContext({ storageState: session });
  const page = await context.newPage();
  await page.goto(`${gateway.origin}/console${path}`);
  return page;
}

/**
 * Measures views of the last seven days, which the overview shows first, and after each of them the last thirty, in
 * milliseconds from the click.
 */
export async function measureViews(
  where: SignedIn,
  views: number,
): Promise<{ week: number[]; month: number[] }> {
  const times = { week: [] as number[], month: [] as number[] };
  for (let n = 1; n <= views; n += 1) {
    const page = await openSignedIn(where, '/keys');
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    times.week.push(
      await timeUntilShown(page, 'hour', () => page.getByRole('link', { name: 'Overview' }).click()),
    );
    times.month.push(
      await timeUntilShown(page, 'day', () => page.getByText('30 days', { exact: true }).click()),
    );
    await page.context().close();
    process.stdout.write(`View ${n} of ${views} done\n`);
  }
  return times;
}

/** Waits until the overview shows its figures, its chart and its table; the lines of the chart come last. */
export async function timeUntilShown(
  page: Page,
  granularity: 'hour' | 'day',
  open: () => Promise<void>,
): Promise<number> {
  const startedAtMs = performance.now();
  const lines = page.waitForResponse((response) => {
    const body = response.request().postData() ?? '';
    return body.includes(`"granularity":"${granularity}"`) && body.includes('"dimensions"');
  });
  await open();
  const answer = await lines;
  if (!answer.ok()) throw new Error(`${answer.status()} ${await answer.text()}`);
  await answer.finished();
  const drawn = page.getByRole('figure', { name: /^Over time: ./ }).locator('canvas');
  const figures = page.getByRole('group', { name: 'Metric to draw' });
  await Promise.all([drawn.waitFor(), figures.waitFor(), page.getByRole('table').first().waitFor()]);
  // In the frame after the next one, the lines have been painted.
  await page.evaluate(
    'new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))',
  );
  return performance.now() - startedAtMs;
}
