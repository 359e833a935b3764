import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { errorOf } from '../support/caller.ts';
import { type EgressScene, startEgressScene, WITH_KEY } from '../support/egress-scene.ts';
import { eventually } from '../support/eventually.ts';
import { base64Forms, repeatedForms } from '../support/repeated-secret.ts';

const MIB = 1024 ** 2;

let scene: EgressScene;

beforeAll(async () => {
  scene = await startEgressScene();
  await scene.addSecret('unused', 'a-value-that-is-not-used');
});
afterAll(() => scene.close());
beforeEach(() => {
  scene.host.requests.length = 0;
});

/** Writes each piece by itself, so that it is a chunk of its own. */
async function writePieces(response: ServerResponse, pieces: Iterable<string>): Promise<void> {
  response.socket?.setNoDelay(true);
  for (const piece of pieces) await new Promise((resolve) => response.write(piece, resolve));
  response.end();
}

describe('values become placeholders again', () => {
  test('in a body that echoes headers in pieces', async () => {
    scene.host.answer((request, response) =>
      writePieces(response, `headers: ${JSON.stringify(request.headers)} end`.match(/.{1,3}/gs)!),
    );
    const text = await (await scene.send('GET', '/')).text();
    expect(text).toContain('"authorization":"Bearer {{secret:key}}"');
    expect(text).toMatch(/ end$/);
    expect(text).not.toContain(scene.value);
  });

  test('in a short body, which has its new length', async () => {
    scene.host.answer(({ headers }, response) => void response.end(headers['authorization']));
    const response = await scene.send('GET', '/');
    const text = await response.text();
    expect(text).toBe('Bearer {{secret:key}}');
    expect(response.headers.get('content-length')).toBe(`${text.length}`);
  });

  test('in headers', async () => {
    scene.host.answer(({ headers }, response) => {
      const own = headers['authorization']!;
      response
        .setHeader('x-echo', own)
        .setHeader('set-cookie', ['a=1', `b=${own}`])
        .end();
    });
    const response = await scene.send('GET', '/');
    expect(response.headers.get('x-echo')).toBe('Bearer {{secret:key}}');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=Bearer {{secret:key}}']);
  });

  test('not in names of headers: such a header is left out, in any case', async () => {
    const basic = Buffer.from(`me:${scene.value}`).toString('base64').replace(/=+$/, '');
    scene.host.answer((_request, response) => {
      for (const secret of [scene.value, basic, 'a-value-that-is-not-used']) {
        response.setHeader(`x-${secret}`, '1').setHeader(secret.toUpperCase(), '1');
      }
      response.setHeader('x-plain', '1').end();
    });
    const headers = { 'x-key': '{{secret:key}}', authorization: '{{basic:me:key}}' };
    const response = await scene.send('GET', '/', { headers });
    const names = [...response.headers.keys()];
    expect(names).toContain('x-plain');
    const secrets = [scene.value, basic.toLowerCase(), 'a-value-that-is-not-used'];
    expect(names.filter((name) => secrets.some((secret) => name.includes(secret)))).toEqual([]);
  });

  test('in a Basic credential', async () => {
    scene.host.answer(({ headers }, response) => void response.end(headers['authorization']));
    const response = await scene.send('GET', '/', { headers: { authorization: '{{basic:me:key}}' } });
    expect(await response.text()).toBe('Basic {{basic:me:key}}');
  });

  test('in every common encoding', async () => {
    const forms = (value: string): string[] =>
      [...repeatedForms(value), ...base64Forms(value)].map(([, form]) => form);
    scene.host.answer(({ headers }, response) => {
      const value = headers['authorization']!.slice('Bearer '.length);
      response.setHeader('x-echo', forms(value).slice(0, 8)).end(forms(value).join('\n'));
    });
    const response = await scene.send('GET', '/');
    const seen = `${response.headers.get('x-echo')} ${await response.text()}`;
    // Without the characters at the ends of base64 that also depend on neighbours.
    const cores = forms(scene.value).map((form) => form.slice(3, -6));
    expect(cores.filter((core) => seen.includes(core))).toEqual([]);
  });

  test('also where the request does not use the secret', async () => {
    scene.host.answer((_request, response) => void response.end('kept: a-value-that-is-not-used'));
    expect(await (await scene.send('GET', '/')).text()).toBe('kept: {{secret:unused}}');
  });
});

describe('the answer passes', () => {
  test.each([200, 201, 204, 301, 304, 400, 401, 404, 418, 429, 500, 502, 503, 599])(
    'with the status %i',
    async (status) => {
      scene.host.answer((_request, response) => void response.writeHead(status).end());
      const response = await scene.send('GET', '/');
      expect(response.status).toBe(status);
      expect(response.headers.get('sluice-egress')).toBe('forwarded');
    },
  );

  test('without the headers that the gateway or the connection has of its own', async () => {
    scene.host.answer((_request, response) => {
      response.writeHead(200, {
        'content-type': 'application/json; x=1',
        'sluice-egress': 'spoofed',
        'x-request-id': 'of-the-host',
        'x-forwarded-for': '10.0.0.1',
        connection: 'close, x-hop',
        'x-hop': '1',
        'x-own': '1',
      });
      response.end('{}');
    });
    const { headers } = await scene.send('GET', '/');
    expect(headers.get('content-type')).toBe('application/json; x=1');
    expect(headers.get('x-own')).toBe('1');
    expect(headers.get('sluice-egress')).toBe('forwarded');
    expect(headers.get('x-request-id')).not.toBe('of-the-host');
    expect([headers.get('x-hop'), headers.get('x-forwarded-for')]).toEqual([null, null]);
  });

  test('without headers about the origin, which is the gateway’s, and never to be stored', async () => {
    const ofOrigin = {
      'alt-svc': 'h3=":443"',
      'clear-site-data': '"*"',
      nel: '{"report_to":"a","max_age":1}',
      'public-key-pins': 'max-age=1',
      'report-to': '{}',
      'service-worker-allowed': '/',
      'set-cookie2': 'a=1',
      'strict-transport-security': 'max-age=1',
      'cdn-cache-control': 'max-age=1',
      'surrogate-control': 'max-age=1',
      'access-control-allow-origin': 'https://other.example',
      'access-control-allow-credentials': 'true',
    };
    scene.host.answer((_request, response) => {
      response
        .writeHead(200, { ...ofOrigin, 'cache-control': 'public, s-maxage=60', 'set-cookie': 'b=2' })
        .end();
    });
    const { headers } = await scene.send('GET', '/');
    expect(Object.keys(ofOrigin).filter((name) => headers.has(name))).toEqual([]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.getSetCookie()).toEqual(['b=2']);
  });

  test.each(['https://other.example/', 'https://10.0.0.1/latest', 'http://169.254.169.254/'])(
    'when it redirects to %s, which is not followed',
    async (location) => {
      scene.host.answer((_request, response) => void response.writeHead(302, { location }).end());
      const response = await scene.send('GET', '/');
      expect([response.status, response.headers.get('location')]).toEqual([302, location]);
      expect(scene.host.requests).toHaveLength(1);
    },
  );

  test('as it comes, its head before its body', async () => {
    const { promise: proceed, resolve } = Promise.withResolvers<void>();
    scene.host.answer(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      await proceed;
      response.write('data: one\n\n');
    });
    const response = await scene.send('GET', '/');
    resolve();
    const reader = response.body!.getReader();
    const { value } = await reader.read();
    expect(Buffer.from(value!).toString()).toBe('data: one\n\n');
    await reader.cancel();
  });
});

describe('the gateway answers in place of the host', () => {
  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('when the answer is %s although that was not asked for', async (coding, compress) => {
    scene.host.answer(({ headers }, response) => {
      response.writeHead(200, { 'content-encoding': coding }).end(compress(headers['authorization']!));
    });
    const error = await errorOf(await scene.send('GET', '/'));
    expect(error).toMatchObject({ code: 502, metadata: { reason: 'answer_encoded', retryable: false } });
  });

  test.each([
    ['with the status 206', 206, 'text/plain'],
    ['with the status 206 in parts', 206, 'multipart/byteranges; boundary=x'],
    ['in parts', 200, 'Multipart/Mixed; boundary=x'],
  ])('when the host sends a part of its answer: %s', async (_, status, type) => {
    scene.host.answer(({ headers }, response) => {
      response.writeHead(status, { 'content-type': type }).end(headers['authorization']!.slice(0, 12));
    });
    const response = await scene.send('GET', '/');
    expect(response.headers.get('sluice-egress')).toBeNull();
    const error = await errorOf(response);
    expect(error).toMatchObject({ code: 502, metadata: { reason: 'answer_in_parts', retryable: false } });
  });

  test('when the host cannot be reached', async () => {
    const response = await scene.send('GET', '/', { host: 'api.host.localhost:1' });
    expect(response.headers.get('sluice-egress')).toBeNull();
    expect(await errorOf(response)).toMatchObject({ code: 502, metadata: { reason: 'host_unreachable' } });
  });

  test('when the certificate is for another name', async () => {
    await scene.addSecret('for_other', 'v', ['localhost']);
    const host = `localhost:${scene.host.port}`;
    const response = await eventually('the secret', async () => {
      const answer = await scene.send('GET', '/', { host, headers: { a: '{{secret:for_other}}' } });
      return answer.status === 403 ? undefined : answer;
    });
    expect(await errorOf(response)).toMatchObject({ code: 502, metadata: { reason: 'host_unreachable' } });
    expect(scene.host.requests).toEqual([]);
  });

  test('when the answer is announced as longer than 64 MiB', async () => {
    scene.host.answer((_request, response) => {
      response.writeHead(200, { 'content-length': 64 * MIB + 1 }).flushHeaders();
    });
    const error = await errorOf(await scene.send('GET', '/'));
    expect(error).toMatchObject({ code: 502, metadata: { reason: 'answer_too_large' } });
  });
});

test('an answer that turns out longer than 64 MiB is cut', async () => {
  scene.host.answer(async (_request, response) => {
    const chunk = Buffer.alloc(MIB, 'x');
    for (let n = 0; n < 66 && !response.destroyed; n += 1) {
      if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    }
    response.end();
  });
  const response = await scene.send('GET', '/');
  await expect(response.arrayBuffer()).rejects.toThrow();
});

describe('an intern that hangs up', () => {
  test('ends the connection to the host and completes the log', async () => {
    const hungUp = Promise.withResolvers<void>();
    scene.host.answer((_request, response) => {
      response.once('close', () => hungUp.resolve());
      response.write('first');
    });
    const controller = new AbortController();
    const response = await scene.send('GET', '/', { signal: controller.signal });
    await response.body!.getReader().read();
    controller.abort();
    await hungUp.promise;
    const entry = await eventually('the end in the log', async () => {
      const [latest] = await scene.log();
      return latest?.bytes === null ? undefined : latest;
    });
    expect(entry).toMatchObject({ status: 200, bytes: 5 });
  });

  test('before the host answers, completes the log without a status', async () => {
    const hungUp = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    scene.host.answer((_request, response) => {
      response.once('close', () => hungUp.resolve());
      asked.resolve();
    });
    const controller = new AbortController();
    const sent = scene.send('POST', '/', { headers: WITH_KEY, signal: controller.signal });
    sent.catch(() => {});
    await asked.promise;
    controller.abort();
    await hungUp.promise;
    const entry = await eventually('the end in the log', async () => {
      const [latest] = await scene.log();
      return latest?.bytes === null ? undefined : latest;
    });
    expect(entry).toMatchObject({ method: 'POST', status: null, bytes: 0 });
  });
});
