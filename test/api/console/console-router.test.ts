import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import Koa from 'koa';
import { createConsoleRouter } from '../../../api/console/console-router.ts';
import type { ApiState } from '../../../api/http/context.ts';
import { createErrorHandler } from '../../../api/http/error-handler.ts';
import { createLogger } from '../../../platform/logger.ts';

const SCRIPT = 'export const answer = 42;';

describe('the console', () => {
  let folder: string;
  let server: Server;
  let origin: string;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'sluice-console-'));
    mkdirSync(path.join(folder, 'build', 'assets'), { recursive: true });
    const write = (name: string, content: string | Buffer) =>
      writeFileSync(path.join(folder, 'build', name), content);
    write('index.html', '<title>Sluice</title>');
    write('assets/index-abc.js', SCRIPT);
    write('assets/index-abc.js.gz', gzipSync(SCRIPT));
    write('assets/page-def.css', 'body {}');
    writeFileSync(path.join(folder, 'secret.txt'), 'secret');
    [server, origin] = await serve(path.join(folder, 'build'));
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  test('has its first page at every address, under a policy without inline code', async () => {
    for (const address of ['/console', '/console/keys', '/console/generations/gen-1']) {
      const page = await fetch(origin + address);
      expect([page.status, await page.text()]).toEqual([200, '<title>Sluice</title>']);
      expect(page.headers.get('cache-control')).toBe('no-cache');
      const policy = page.headers.get('content-security-policy');
      expect(policy).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
      expect(policy).not.toContain('unsafe');
    }
  });

  test('lets browsers keep files whose names have a hash', async () => {
    const file = await fetch(`${origin}/console/assets/page-def.css`);
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  test('sends the file that the build has compressed, to those who accept it', async () => {
    const read = async (coding: string) => {
      const headers = { 'accept-encoding': coding };
      const file = await fetch(`${origin}/console/assets/index-abc.js`, { headers });
      return [
        file.headers.get('content-encoding'),
        file.headers.get('vary')?.toLowerCase(),
        await file.text(),
      ];
    };
    expect(await read('gzip')).toEqual(['gzip', 'accept-encoding', SCRIPT]);
    expect(await read('identity')).toEqual([null, 'accept-encoding', SCRIPT]);
  });

  test('answers 404 to files that the build does not have, and leaves its folder for none', async () => {
    const names = ['missing.js', '..%2fsecret.txt', '%2e%2e%2f%2e%2e%2fsecret.txt', '..', '..%5csecret.txt'];
    for (const name of names) {
      const answer = await askRaw(origin, `/console/assets/${name}`);
      expect(answer).toMatch(/^HTTP\/1.1 404 /);
      expect(answer).not.toMatch(/^secret$/m);
    }
    expect(await askRaw(origin, '/console/assets/../../secret.txt')).toContain('<title>Sluice</title>');
  });

  test('says which command builds it when it is not built', async () => {
    const [bare, bareOrigin] = await serve(path.join(folder, 'nothing'));
    const page = await fetch(`${bareOrigin}/console`);
    expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('npm run build --workspace=console');
    bare.close();
  });
});

/** Serves the console that is built in a folder. */
async function serve(folder: string): Promise<[Server, string]> {
  const app = new Koa<ApiState>();
  app.use(createErrorHandler(createLogger({ level: 'silent', name: 'test' })));
  app.use(createConsoleRouter(folder).routes());
  const server = createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return [server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`];
}

/** Sends a path as it is: `fetch` would resolve its dots. */
async function askRaw(origin: string, target: string): Promise<string> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  let answer = '';
  for await (const chunk of socket.setEncoding('utf8')) answer += String(chunk);
  return answer;
}
