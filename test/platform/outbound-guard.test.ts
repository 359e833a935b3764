import { describe, expect, test } from '@jest/globals';
import { text } from 'node:stream/consumers';
import { OutboundBlockedError, OutboundNetworkError } from '../../platform/outbound-error.ts';
import { startLoopbackServer } from './loopback-server.ts';
import { closeAfterEach, GET, guardWith, resolverOf, serve } from './outbound-setup.ts';
import { createSelfSignedCertificate } from './self-signed-certificate.ts';

closeAfterEach();

describe('a permitted request', () => {
  test('arrives unchanged, and its response comes back as a stream', async () => {
    const { origin } = await serve(async (request, response) => {
      const { method, url, headers } = request;
      response.writeHead(201, { 'x-seen': `${method} ${url} ${String(headers['webhook-id'])}` });
      response.end(`got ${await text(request)}`);
    });
    const answer = await guardWith().fetch(`${origin}/hook?a=1#fragment`, {
      method: 'POST',
      headers: { 'webhook-id': 'evt-1' },
      body: '{"hello":1}',
      ...GET,
    });
    expect(answer.status).toBe(201);
    expect(answer.headers['x-seen']).toBe('POST /hook?a=1 evt-1');
    expect(await text(answer.body)).toBe('got {"hello":1}');
  });

  test('reaches localhost when loopback is opened', async () => {
    const { port } = await serve((_request, response) => response.end('here'));
    const answer = await guardWith().fetch(`http://localhost:${port}/`, GET);
    expect(await text(answer.body)).toBe('here');
  });

  test('cannot set connection headers such as Host and Content-Length', async () => {
    const { origin, port } = await serve((request, response) => {
      response.end(JSON.stringify(request.headers));
    });
    const headers = {
      Host: 'victim.example',
      'Transfer-Encoding': 'chunked',
      'Content-Length': '3',
      'x-kept': '1',
    };
    const answer = await guardWith().fetch(origin, { method: 'POST', headers, body: 'longer', ...GET });
    expect(JSON.parse(await text(answer.body))).toMatchObject({
      host: `127.0.0.1:${port}`,
      'content-length': '6',
      'x-kept': '1',
    });
  });

  test('uses TLS and checks the certificate against the name', async () => {
    const certificate = createSelfSignedCertificate('hooks.example');
    const { port } = await serve((_request, response) => response.end('secure'), certificate);
    const guard = guardWith({ ca: certificate.certificate, resolve: resolverOf(['127.0.0.1']) });
    const answer = await guard.fetch(`https://hooks.example:${port}/`, GET);
    expect(await text(answer.body)).toBe('secure');
    await expect(guard.fetch(`https://other.example:${port}/`, GET)).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
      sent: false,
    });
  });
});

describe('the address check at every connection', () => {
  test('refuses a name that turns private at the next attempt', async () => {
    let served = 0;
    const { port } = await serve((_request, response) => {
      served += 1;
      response.setHeader('connection', 'close').end('ok');
    });
    const guard = guardWith({
      allow: ['127.0.0.0/8', 'rebind.example'],
      resolve: resolverOf(['127.0.0.1'], ['10.0.0.1']),
    });
    const first = await guard.fetch(`http://rebind.example:${port}/`, GET);
    await text(first.body);
    await expect(guard.fetch(`http://rebind.example:${port}/`, GET)).rejects.toMatchObject({
      reason: 'address_not_allowed',
    });
    expect(served).toBe(1);
  });

  test('refuses a name with one private address among public ones', async () => {
    const guard = guardWith({ allow: [], resolve: resolverOf(['93.184.216.34', '192.168.0.1']) });
    await expect(guard.fetch('https://mixed.example/', GET)).rejects.toMatchObject({
      reason: 'address_not_allowed',
    });
  });

  test('refuses a reachable server whose range is not opened, without a request', async () => {
    let served = 0;
    const { port } = await serve((_request, response) => response.end(`${(served += 1)}`));
    const guard = guardWith({ allow: [], resolve: resolverOf(['127.0.0.1']) });
    for (const host of ['hooks.example', '127.0.0.1', '2130706433', '[::ffff:127.0.0.1]', 'localhost']) {
      await expect(guard.fetch(`https://${host}:${port}/`, GET)).rejects.toBeInstanceOf(OutboundBlockedError);
    }
    expect(served).toBe(0);
  });

  test('refuses a metadata address although its name and range are opened', async () => {
    const guard = guardWith({
      allow: ['169.254.0.0/16', 'innocent.example'],
      resolve: resolverOf(['169.254.169.254']),
    });
    await expect(guard.fetch('http://innocent.example/', GET)).rejects.toMatchObject({
      reason: 'address_not_allowed',
    });
  });
});

describe('plain http to a name', () => {
  test('fails without a look-up when the name is not listed', async () => {
    let asked = 0;
    const guard = guardWith({ resolve: async () => [`127.0.0.${(asked += 1)}`] });
    await expect(guard.fetch('http://plain.example/', GET)).rejects.toMatchObject({
      reason: 'insecure_scheme',
    });
    expect(asked).toBe(0);
  });

  test('reaches a listed name at an address in an opened range', async () => {
    const { port } = await serve((_request, response) => response.end('here'));
    const guard = guardWith({ allow: ['127.0.0.0/8', 'plain.example'], resolve: resolverOf(['127.0.0.1']) });
    const answer = await guard.fetch(`http://plain.example:${port}/`, GET);
    expect(await text(answer.body)).toBe('here');
  });

  test('fails for a listed name at a private address that no range opens', async () => {
    const { port, connections } = await serve((_request, response) => response.end('here'));
    const guard = guardWith({ allow: ['plain.example'], resolve: resolverOf(['127.0.0.1']) });
    await expect(guard.fetch(`http://plain.example:${port}/`, GET)).rejects.toMatchObject({
      reason: 'address_not_allowed',
    });
    expect(connections()).toBe(0);
  });
});

describe('a network error', () => {
  test('says that nothing was sent when the connection is refused, and hides the address', async () => {
    const { port, close } = await startLoopbackServer(() => undefined);
    await close();
    const guard = guardWith({ allow: ['127.0.0.0/8', 'gone.example'], resolve: resolverOf(['127.0.0.1']) });
    const error = await guard.fetch(`http://gone.example:${port}/`, GET).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(OutboundNetworkError);
    expect(error).toMatchObject({ code: 'ECONNREFUSED', sent: false });
    expect((error as Error).message).not.toContain('127.0.0.1');
  });

  test('says that nothing was sent when the name does not exist', async () => {
    const failure = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    const guard = guardWith({ resolve: () => Promise.reject(failure) });
    await expect(guard.fetch('https://nowhere.example/', GET)).rejects.toMatchObject({
      code: 'ENOTFOUND',
      sent: false,
    });
  });

  test('says that nothing was sent when a header is malformed', async () => {
    const { origin } = await serve((_request, response) => response.end());
    const headers = { 'x-bad': 'a\r\nx-injected: 1' };
    await expect(guardWith().fetch(origin, { ...GET, headers })).rejects.toMatchObject({ sent: false });
  });

  test('says that the request was sent when the connection breaks after it', async () => {
    const { origin } = await serve((request) => request.socket.destroy());
    await expect(guardWith().fetch(origin, { method: 'POST', body: 'x', ...GET })).rejects.toMatchObject({
      name: 'OutboundNetworkError',
      sent: true,
    });
  });

  test('ends a body that breaks off', async () => {
    const { origin } = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('half');
      setImmediate(() => response.destroy());
    });
    const answer = await guardWith().fetch(origin, GET);
    await expect(text(answer.body)).rejects.toBeInstanceOf(OutboundNetworkError);
  });
});

test('a refusal never names the address that was found', async () => {
  const guard = guardWith({ allow: [], resolve: resolverOf(['10.11.12.13']) });
  const error = await guard.fetch('https://inside.example/', GET).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ reason: 'address_not_allowed' });
  expect(JSON.stringify(error) + String(error) + (error as Error).stack).not.toContain('10.11.12.13');
});
