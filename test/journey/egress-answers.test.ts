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

describe("a secret value in the host's response", () => {
  test('becomes its placeholder in a body that echoes headers in pieces', async () => {
    scene.host.answer((request, response) =>
      writePieces(response, `headers: ${JSON.stringify(request.headers)} end`.match(/.{1,3}/gs)!),
    );
    const text = await (await scene.send('GET', '/')).text();
    expect(text).toContain('"authorization":"Bearer {{secret:key}}"');
    expect(text).toMatch(/ end$/);
    expect(text).not.toContain(scene.value);
  });

  test('becomes its placeholder in a short body with a matching content-length', async () => {
    scene.host.answer(({ headers }, response) => void response.end(headers['authorization']));
    const response = await scene.send('GET', '/');
    const text = await response.text();
    expect(text).toBe('Bearer {{secret:key}}');
    expect(response.headers.get('content-length')).toBe(`${text.length}`);
  });

  test('becomes its placeholder in headers', async () => {
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

  test('removes each header whose name contains it, in any case', async () => {
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

  test('becomes its placeholder in a Basic credential', async () => {
    scene.host.answer(({ headers }, response) => void response.end(headers['authorization']));
    const response = await scene.send('GET', '/', { headers: { authorization: '{{basic:me:key}}' } });
    expect(await response.text()).toBe('Basic {{basic:me:key}}');
  });

  test('never appears in any common encoding', async () => {
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

  test('becomes its placeholder even if the request does not use the secret', async () => {
    scene.host.answer((_request, response) => void response.end('kept: a-value-that-is-not-used'));
    expect(await (await scene.send('GET', '/')).text()).toBe('kept: {{secret:unused}}');
  });
});

describe("the host's response", () => {
  test.each([200, 201, 204, 301, 304, 400, 401, 404, 418, 429, 500, 502, 503, 599])(
    'reaches the intern with the status %i',
    async (status) => {
      scene.host.answer((_request, response) => void response.writeHead(status).end());
      const response = await scene.send('GET', '/');
      expect(response.status).toBe(status);
      expect(response.headers.get('sluice-egress')).toBe('forwarded');
    },
  );

  test('loses the headers of the gateway and of the connection', async () => {
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

  test('loses headers about the origin, and gets cache-control: no-store', async () => {
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
    'reaches the intern with its redirect to %s, which the gateway never follows',
    async (location) => {
      scene.host.answer((_request, response) => void response.writeHead(302, { location }).end());
      const response = await scene.send('GET', '/');
      expect([response.status, response.headers.get('location')]).toEqual([302, location]);
      expect(scene.host.requests).toHaveLength(1);
    },
  );

  test('reaches the intern as it arrives, its headers before its body', async () => {
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

describe("an error in place of the host's response", () => {
  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('reports 502 answer_encoded for a response in %s that was not requested', async (coding, compress) => {
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
  ])('reports 502 answer_in_parts when the host sends a part: %s', async (_, status, type) => {
    scene.host.answer(({ headers }, response) => {
      response.writeHead(status, { 'content-type': type }).end(headers['authorization']!.slice(0, 12));
    });
    const response = await scene.send('GET', '/');
    expect(response.headers.get('sluice-egress')).toBeNull();
    const error = await errorOf(response);
    expect(error).toMatchObject({ code: 502, metadata: { reason: 'answer_in_parts', retryable: false } });
  });

  test('reports 502 host_unreachable when the host refuses the connection', async () => {
    const response = await scene.send('GET', '/', { host: 'api.host.localhost:1' });
    expect(response.headers.get('sluice-egress')).toBeNull();
    expect(await errorOf(response)).toMatchObject({ code: 502, metadata: { reason: 'host_unreachable' } });
  });

  test('reports 502 host_unreachable for a certificate of another name', async () => {
    await scene.addSecret('for_other', 'v', ['localhost']);
    const host = `localhost:${scene.host.port}`;
    const response = await eventually('the secret', async () => {
      const answer = await scene.send('GET', '/', { host, headers: { a: '{{secret:for_other}}' } });
      return answer.status === 403 ? undefined : answer;
    });
    expect(await errorOf(response)).toMatchObject({ code: 502, metadata: { reason: 'host_unreachable' } });
    expect(scene.host.requests).toEqual([]);
  });

  test('reports 502 answer_too_large for a content-length above 64 MiB', async () => {
    scene.host.answer((_request, response) => {
      response.writeHead(200, { 'content-length': 64 * MIB + 1 }).flushHeaders();
    });
    const error = await errorOf(await scene.send('GET', '/'));
    expect(error).toMatchObject({ code: 502, metadata: { reason: 'answer_too_large' } });
  });
});

test('a response that grows beyond 64 MiB is cut off', async () => {
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

describe('an intern that disconnects', () => {
  test('ends the connection to the host and completes the log entry', async () => {
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

  test('gets a log entry without a status if the host has not answered', async () => {
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
