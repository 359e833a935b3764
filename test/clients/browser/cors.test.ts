import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type LoopbackServer, startLoopbackServer } from '../../platform/loopback-server.ts';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { findChromium } from '../../support/find-chromium.ts';

let listed: LoopbackServer;
let unlisted: LoopbackServer;
let gateway: Gateway;
let browser: Browser;

const startSite = () =>
  startLoopbackServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>A page</title>');
  });

beforeAll(async () => {
  const executablePath = findChromium();
  [listed, unlisted] = await Promise.all([startSite(), startSite()]);
  gateway = await startGateway({ env: { CORS_ORIGINS: listed.origin } });
  // Chromium refuses to run as root, as it does in containers, unless it is told not to use its sandbox.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  browser = await chromium.launch({ executablePath, args });
});
afterAll(async () => {
  await browser?.close();
  await gateway?.close();
  await Promise.all([listed?.close(), unlisted?.close()]);
});

/** Asks for a chat from within a page of this site. */
async function chatFrom(site: LoopbackServer, more: object = {}, apiKey = gateway.apiKey) {
  const page: Page = await browser.newPage();
  try {
    await page.goto(site.origin);
    const asked = {
      url: `${gateway.origin}/api/v1/chat/completions`,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'x-title': 'A page' },
      body: JSON.stringify({
        model: 'local/echo-1',
        messages: [{ role: 'user', content: 'Hello there' }],
        ...more,
      }),
    };
    return await page.evaluate(async ({ url, headers, body }) => {
      const answer = await fetch(url, { method: 'POST', headers, body });
      const pieces: string[] = [];
      const decoder = new TextDecoder();
      for (const reader = answer.body!.getReader(); ;) {
        const { done, value } = await reader.read();
        if (done) break;
        pieces.push(decoder.decode(value, { stream: true }));
      }
      return {
        status: answer.status,
        requestId: answer.headers.get('x-request-id'),
        generationId: answer.headers.get('x-generation-id'),
        text: pieces.join(''),
        pieces: pieces.length,
      };
    }, asked);
  } finally {
    await page.close();
  }
}

describe('a page in Chromium', () => {
  test('chats with the gateway from a listed origin, and reads the generation id', async () => {
    const answer = await chatFrom(listed);
    expect(answer).toMatchObject({ status: 200, generationId: expect.stringMatching(/^gen-/) });
    expect(answer.text).toContain('You said: Hello there');
  });

  test('reads a stream in several pieces', async () => {
    gateway.upstream.addFaults({ kind: 'drip', on: 'chat', unit: 'event', everyMs: 20 });
    const answer = await chatFrom(listed, { stream: true });
    expect(answer.text).toMatch(/\n\ndata: \[DONE\]\n\n$/);
    expect(answer.pieces).toBeGreaterThan(1);
  });

  test('reads an error with its request id', async () => {
    const answer = await chatFrom(listed, {}, 'sk-slc-wrong');
    expect(answer).toMatchObject({ status: 401, requestId: expect.stringMatching(/\w/) });
    expect(JSON.parse(answer.text)).toMatchObject({ error: { code: 401 } });
  });

  test('gets no response, and causes no upstream call, from an unlisted origin', async () => {
    const asked = gateway.upstream.requests('chat').length;
    await expect(chatFrom(unlisted)).rejects.toThrow('Failed to fetch');
    expect(gateway.upstream.requests('chat')).toHaveLength(asked);
  });
});
