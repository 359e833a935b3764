import { describe, expect, test } from '@jest/globals';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeAfterEach, GET, guardWith, resolverOf, serve } from './outbound-setup.ts';

closeAfterEach();

describe('redirects', () => {
  function redirecting(location: string, status = 302): RequestListener {
    return (_request, response) => response.writeHead(status, { location }).end('moved');
  }

  test('come back as plain responses by default', async () => {
    const { origin } = await serve(redirecting('/elsewhere'));
    const answer = await guardWith().fetch(origin, GET);
    expect(answer.status).toBe(302);
    expect(await text(answer.body)).toBe('moved');
  });

  test('fail with too_many_redirects beyond the requested number', async () => {
    const { origin } = await serve((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end('arrived');
      else response.writeHead(307, { location: `/${left - 1}` }).end();
    });
    const guard = guardWith();
    const answer = await guard.fetch(`${origin}/3`, { ...GET, maxRedirects: 3 });
    expect(await text(answer.body)).toBe('arrived');
    await expect(guard.fetch(`${origin}/4`, { ...GET, maxRedirects: 3 })).rejects.toMatchObject({
      reason: 'too_many_redirects',
    });
  });

  test.each([
    ['http://10.0.0.1/', 'address_not_allowed'],
    ['http://169.254.169.254/latest/meta-data/', 'address_not_allowed'],
    ['http://metadata.google.internal/', 'host_not_allowed'],
    ['//[::1]/', 'address_not_allowed'],
    ['http://0xA9FEA9FE/', 'address_not_allowed'],
    ['http://user:pw@127.0.0.1/', 'userinfo_not_allowed'],
    ['file:///etc/passwd', 'scheme_not_allowed'],
    ['http://[broken', 'invalid_url'],
  ])('fail when they lead to %s', async (location, reason) => {
    const { origin } = await serve(redirecting(location));
    await expect(guardWith().fetch(origin, { ...GET, maxRedirects: 3 })).rejects.toMatchObject({ reason });
  });

  test('fail when they lead to a name with a private address', async () => {
    const { origin } = await serve(redirecting('https://inside.example/'));
    const guard = guardWith({ resolve: resolverOf(['10.0.0.1']) });
    await expect(guard.fetch(origin, { ...GET, maxRedirects: 3 })).rejects.toMatchObject({
      reason: 'address_not_allowed',
    });
  });

  test('carry credentials within the origin and drop them beyond the origin', async () => {
    const seen: IncomingHttpHeaders[] = [];
    const record: RequestListener = (request, response) => {
      seen.push(request.headers);
      response.end();
    };
    const other = await serve(record);
    const { origin } = await serve((request, response) => {
      if (request.url === '/first') redirecting('/second')(request, response);
      else {
        seen.push(request.headers);
        response.writeHead(302, { location: `${other.origin}/third` }).end();
      }
    });
    const headers = {
      authorization: 'Bearer s',
      'xi-api-key': 's',
      cookie: 's',
      accept: 'video/mp4',
      range: 'bytes=0-',
    };
    const answer = await guardWith().fetch(`${origin}/first`, { headers, ...GET, maxRedirects: 3 });
    await text(answer.body);
    expect(seen[0]).toMatchObject(headers);
    expect(seen[1]).toMatchObject({ accept: 'video/mp4', range: 'bytes=0-' });
    for (const name of ['authorization', 'xi-api-key', 'cookie']) expect(seen[1]).not.toHaveProperty(name);
  });

  test.each([301, 302, 303, 307, 308])('stay unfollowed after a POST (%i)', async (status) => {
    let served = 0;
    const { origin } = await serve((request, response) => {
      served += 1;
      redirecting('/elsewhere', status)(request, response);
    });
    const answer = await guardWith().fetch(origin, { method: 'POST', body: 'x', ...GET, maxRedirects: 3 });
    answer.body.destroy();
    expect(answer.status).toBe(status);
    expect(served).toBe(1);
  });
});
