import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { createOwnAddresses, type OwnAddresses } from '../../platform/own-addresses.ts';
import { closeAfterEach, GET, guardWith, resolverOf, serve } from './outbound-setup.ts';

closeAfterEach();

const PUBLIC = { publicUrl: 'https://gateway.example/sluice', publicAliases: ['http://llm.example:8080'] };

function ownWith(options: { host?: string; port?: number; publicUrl?: string } = {}): OwnAddresses {
  return createOwnAddresses({ ...PUBLIC, host: '0.0.0.0', port: 8080, ...options });
}

describe('isPublicHost', () => {
  test.each([
    ['gateway.example', 443, true],
    ['gateway.example', 80, true],
    ['gateway.example', 8443, false],
    ['eu.gateway.example', 443, true],
    ['us.gateway.example', 443, true],
    ['vllm.gateway.example', 443, false],
    ['llm.example', 8080, true],
    ['llm.example', 443, false],
  ])('returns for %s:%i the value %s', (host, port, expected) => {
    expect(ownWith().isPublicHost(host, port)).toBe(expected);
  });

  test('compares the port when the public URL has a port of its own', () => {
    const own = ownWith({ publicUrl: 'http://localhost:8080' });
    expect([8080, 8090, 80].map((port) => own.isPublicHost('localhost', port))).toEqual([true, false, false]);
  });
});

describe('isListener', () => {
  const elsewhere = Object.values(networkInterfaces()).flatMap((all = []) =>
    all.map(({ address }) => address),
  );

  test('matches each address of the machine on its port when bound to all', () => {
    const own = ownWith();
    for (const address of [
      '127.0.0.1',
      '127.8.9.1',
      '::1',
      '::ffff:127.0.0.1',
      '0.0.0.0',
      '::',
      ...elsewhere,
    ]) {
      expect([address, own.isListener(address, 8080)]).toEqual([address, true]);
      expect([address, own.isListener(address, 8090)]).toEqual([address, false]);
    }
    expect(own.isListener('93.184.216.34', 8080)).toBe(false);
  });

  test('matches one address when bound to one', () => {
    const own = ownWith({ host: '127.0.0.1' });
    expect(own.isListener('127.0.0.1', 8080)).toBe(true);
    expect(own.isListener('::ffff:127.0.0.1', 8080)).toBe(true);
    expect(own.isListener('127.0.0.2', 8080)).toBe(false);
  });

  test('matches a port that the system chose once the port is known', () => {
    const own = ownWith({ port: 0 });
    expect(own.isListener('127.0.0.1', 40_000)).toBe(false);
    own.listensOn(40_000);
    expect(own.isListener('127.0.0.1', 40_000)).toBe(true);
  });
});

describe('the outbound guard', () => {
  test('refuses at the connection a name that resolves to the gateway', async () => {
    let requests = 0;
    const { port } = await serve((_request, response) => response.end(`${(requests += 1)}`));
    const guard = guardWith({
      allow: ['127.0.0.0/8', 'alias.example'],
      own: ownWith({ port }),
      resolve: resolverOf(['127.0.0.1']),
    });
    const url = `http://alias.example:${port}/`;
    guard.checkUrl(url);
    await expect(guard.fetch(url, GET)).rejects.toMatchObject({ reason: 'own_address' });
    expect(requests).toBe(0);
  });

  test('reaches other ports of the same address', async () => {
    const { origin } = await serve((_request, response) => response.end('another server'));
    const guard = guardWith({ own: ownWith({ port: 1 }) });
    expect(await text((await guard.fetch(origin, GET)).body)).toBe('another server');
  });

  test('reports address_not_allowed for the gateway inside a closed range', () => {
    const guard = guardWith({ allow: [], own: ownWith() });
    const check = (): void => guard.checkUrl('https://127.0.0.1:8080/');
    expect(check).toThrow(expect.objectContaining({ reason: 'address_not_allowed' }));
  });

  test('reads media from the gateway', async () => {
    const { origin, port } = await serve((_request, response) => response.end('a picture'));
    const { media } = guardWith({ own: ownWith({ port }) });
    media.checkUrl(`${origin}/api/v1/videos/1/content`);
    expect(await text((await media.fetch(origin, GET)).body)).toBe('a picture');
  });
});
