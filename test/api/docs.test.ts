import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { buildOpenApi } from '../../contract/openapi.ts';
import { serveApi, type ServedApi } from './support/serve-api.ts';

let api: ServedApi;
beforeAll(async () => {
  api = await serveApi();
});
afterAll(() => api.close());

test('GET /docs/openapi.json answers the published description', async () => {
  const answer = await fetch(`${api.origin}/docs/openapi.json`);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(buildOpenApi())));
});

test('the reference page loads all its assets from this server, under a strict content policy', async () => {
  const page = await fetch(`${api.origin}/docs`);
  expect(page.headers.get('content-type')).toMatch(/^text\/html/);
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('unsafe');
  const html = await page.text();
  const parts = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '');
  expect(parts).toHaveLength(4);
  for (const path of parts) {
    expect(path).toMatch(/^\/docs\/assets\//);
    const asset = await fetch(api.origin + path);
    expect(asset.status).toBe(200);
    expect(asset.headers.get('content-type')).toMatch(/^(text\/css|text\/javascript|image\/png)/);
    expect((await asset.arrayBuffer()).byteLength).toBeGreaterThan(100);
  }
});

test('GET / redirects browsers to the console and answers 404 to API clients', async () => {
  const visit = (accept: string) => fetch(`${api.origin}/`, { headers: { accept }, redirect: 'manual' });
  const browser = await visit('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8');
  expect([browser.status, browser.headers.get('location')]).toEqual([302, '/console']);
  for (const accept of ['*/*', 'application/json']) {
    const client = await visit(accept);
    expect([client.status, client.headers.get('vary')]).toEqual([404, 'accept']);
    expect(await client.json()).toMatchObject({ error: { code: 404, message: 'Resource not found' } });
  }
});

test('GET /docs/credits says without a script how an operator adds credits', async () => {
  const page = await fetch(`${api.origin}/docs/credits`);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  const html = await page.text();
  expect(html).toContain('npm run admin -- credits add');
  expect(html).not.toContain('<script');
});
