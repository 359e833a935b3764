/** Opens the console of a gateway in Chromium, and collects what goes wrong in its pages. */
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findChromium } from '../../support/find-chromium.ts';
import { type Gateway, type GatewayOptions, startGateway } from '../../support/gateway.ts';

export interface ConsoleScene {
  gateway: Gateway;
  /** Opens a browser of its own, without a session. */
  openPage(options?: { colorScheme?: 'light' | 'dark' }): Promise<ConsolePage>;
  close(): Promise<void>;
}

export interface ConsolePage {
  page: Page;
  context: BrowserContext;
  /** Errors of scripts and violations of the content policy. */
  problems: string[];
  /** Opens an address of the console. */
  open(path: string): Promise<void>;
  signIn(key: string): Promise<void>;
}

export async function startConsole(options: GatewayOptions = {}): Promise<ConsoleScene> {
  // Without https, browsers take the cookie from this machine too.
  const env = { PUBLIC_URL: 'http://localhost:8080', ...options.env };
  const gateway = await startGateway({ ...options, env });
  const browser = await launchChromium();
  return {
    gateway,
    openPage: (pageOptions) => openPage(browser, gateway.origin, pageOptions),
    async close() {
      await browser.close();
      await gateway.close();
    },
  };
}

export function launchChromium(): Promise<Browser> {
  // Chromium refuses to run as root, as it does in containers, unless it is told not to use its sandbox.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: findChromium(), args });
}

export async function openPage(
  browser: Browser,
  origin: string,
  options: { colorScheme?: 'light' | 'dark' } = {},
): Promise<ConsolePage> {
  const context = await browser.newContext({
    ...options,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (message) => {
    // Chromium reports every answer of 400 and more as an error. Tests look at what the page makes of it.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      problems.push(message.text());
    }
  });
  const open = async (path: string): Promise<void> => {
    await page.goto(`${origin}/console${path}`);
  };
  return {
    page,
    context,
    problems,
    open,
    async signIn(key) {
      await open('');
      await page.getByLabel('API key').fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    },
  };
}
