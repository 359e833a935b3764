import { afterEach, describe, expect, test } from '@jest/globals';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AdminUsageError } from '../../admin/arguments.ts';
import { readPriceFile } from '../../admin/read-price-file.ts';

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/prices.json`;
}

describe('a file of prices', () => {
  test('may come from this machine by plain http', async () => {
    const url = await serve((_, response) => response.end('{"a":1}'));
    expect(String(await readPriceFile(url, []))).toBe('{"a":1}');
  });

  test('follows redirects', async () => {
    const url = await serve((request, response) =>
      request.url === '/prices.json'
        ? response.writeHead(302, { location: '/there' }).end()
        : response.end('moved'),
    );
    expect(String(await readPriceFile(url, []))).toBe('moved');
  });

  test('cannot be the answer of an error', async () => {
    const url = await serve((_, response) => response.writeHead(404).end('{}'));
    await expect(readPriceFile(url, [])).rejects.toThrow('it answers with the status 404');
  });

  test('cannot be too large', async () => {
    const url = await serve((_, response) =>
      response.writeHead(200, { 'content-length': 10 ** 9 }).write('{'),
    );
    const refusal = readPriceFile(url, []);
    await expect(refusal).rejects.toThrow(AdminUsageError);
    await expect(refusal).rejects.toThrow(/cannot be read: .*(larger|bytes)/i);
  });

  test('cannot come by a redirect to an address that is not allowed', async () => {
    const url = await serve((_, response) =>
      response.writeHead(302, { location: 'https://10.0.0.1/prices.json' }).end(),
    );
    await expect(readPriceFile(url, [])).rejects.toThrow('not allowed');
  });

  test.each([
    ['http://192.0.2.1/prices.json', 'not allowed'],
    ['http://example.com/prices.json', 'must use https'],
    ['https://169.254.169.254/latest', 'not allowed'],
    ['https://10.0.0.1/prices.json', 'not allowed'],
    ['https://a:b@example.com/prices.json', 'user name or password'],
    ['ftp://example.com/prices.json', 'must use https'],
    ['file:///etc/passwd', 'must use https'],
    ['/nowhere/prices.json', 'ENOENT'],
  ])('cannot come from %s', async (from, reason) => {
    await expect(readPriceFile(from, [])).rejects.toThrow(reason);
  });
});
