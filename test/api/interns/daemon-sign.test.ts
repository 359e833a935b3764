import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import { PostgresDownError } from '../../../db/postgres/outage.ts';
import { AppError } from '../../../domain/errors.ts';
import type { DaemonService } from '../../../services/interns/daemon/daemon-service.ts';
import { asRegular } from '../support/fake-services.ts';
import { openRaw } from '../support/raw-request.ts';
import { MAX_BODY_BYTES, serveApi, type ServedApi } from '../support/serve-api.ts';

const INTERN_ID = '6f0c8b9e-51ce-4a0a-9a55-1f4c2a6a3a52';
const PATH = `/api/v1/interns/${INTERN_ID}/daemon/sign`;
const HASH = 'a'.repeat(64);
const LIMIT_BYTES = 1_048_576;
const SIGNED = { signature: 'c2ln', timestamp: 1_790_000_000, user: 'alice', rate: undefined };

let api: ServedApi;
afterEach(() => api.close());

async function serve(sign: DaemonService['sign'] = async () => SIGNED): Promise<void> {
  api = await serveApi({ daemon: { sign, publishedKeys: async () => [] } });
}

function post(body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${api.origin}${PATH}`, {
    method: 'POST',
    headers: { ...asRegular, 'content-type': 'application/json', ...headers },
    body,
  });
}

async function partsOf(answer: Response): Promise<unknown[]> {
  return [answer.status, await answer.json()];
}

const TOO_LARGE = {
  error: {
    code: 413,
    message: 'Request body exceeds 1048576 bytes',
    metadata: { reason: 'payload_too_large', retryable: false },
  },
};
const TIMED_OUT = {
  error: {
    code: 408,
    message: 'Operation timed out after 10s',
    metadata: { reason: 'timeout', retryable: true },
  },
};
const INTERNAL = {
  error: {
    code: 500,
    message: 'The request could not be completed',
    metadata: { reason: 'internal_error', retryable: true },
  },
};

/** A right body of so many bytes. */
function bodyOf(bytes: number): string {
  const start = `{"bodySha256":"${HASH}","other":"`;
  return `${start}${'x'.repeat(bytes - start.length - 2)}"}`;
}

describe('the size of a body for POST /daemon/sign', () => {
  test('may be 1,048,576 bytes, and one byte more answers 413', async () => {
    await serve();
    expect(MAX_BODY_BYTES).toBeLessThan(LIMIT_BYTES);
    expect((await post(bodyOf(LIMIT_BYTES))).status).toBe(200);
    expect(await partsOf(await post(bodyOf(LIMIT_BYTES + 1)))).toEqual([413, TOO_LARGE]);
  });

  test('counts chunked and decompressed bytes towards the same limit', async () => {
    await serve();
    const stream = (bytes: number): Promise<Response> =>
      fetch(`${api.origin}${PATH}`, {
        method: 'POST',
        headers: { ...asRegular, 'content-type': 'application/json' },
        body: new Blob([bodyOf(bytes)]).stream(),
        duplex: 'half',
      });
    expect((await stream(LIMIT_BYTES)).status).toBe(200);
    expect(await partsOf(await stream(LIMIT_BYTES + 1))).toEqual([413, TOO_LARGE]);
    const packed = { 'content-encoding': 'gzip' };
    expect((await post(gzipSync(bodyOf(LIMIT_BYTES)), packed)).status).toBe(200);
    expect(await partsOf(await post(gzipSync(bodyOf(LIMIT_BYTES + 1)), packed))).toEqual([413, TOO_LARGE]);
  });

  test('does not limit the number of unknown fields', async () => {
    await serve();
    const others = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`f${n}`, [n]]));
    expect((await post(JSON.stringify({ bodySha256: HASH, ...others }))).status).toBe(200);
  });
});

/** Sends half of a body, and returns all that is answered until the server closes. */
function sendHalf(): Promise<string> {
  const raw = openRaw(api.port);
  const head = [
    `POST ${PATH} HTTP/1.1`,
    'Host: gateway',
    'Authorization: Bearer regular-key',
    'Content-Type: application/json',
    'Content-Length: 100',
  ];
  raw.socket.write(`${head.join('\r\n')}\r\n\r\n{"bodySha256":`);
  return raw.closed;
}

test('POST /daemon/sign answers 408 after ten seconds and discards later results', async () => {
  const work = [Promise.withResolvers<typeof SIGNED>(), Promise.withResolvers<typeof SIGNED>()];
  let calls = 0;
  await serve(() => work[calls++]!.promise);
  const [half, ...answers] = await Promise.all([sendHalf(), post(bodyOf(200)), post(bodyOf(200))]);
  expect(half).toMatch(/^HTTP\/1\.1 408 /);
  expect(half).toMatch(/connection: close/i);
  expect(JSON.parse(half.slice(half.indexOf('\r\n\r\n')))).toEqual(TIMED_OUT);
  expect(await Promise.all(answers.map(partsOf))).toEqual([
    [408, TIMED_OUT],
    [408, TIMED_OUT],
  ]);
  work[0]!.resolve(SIGNED);
  work[1]!.reject(new Error('too late'));
  expect((await fetch(`${api.origin}/healthz`)).status).toBe(200);
  expect(api.logLines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
});

describe('a failure of POST /daemon/sign', () => {
  test('answers 500 with Retry-After when Postgres is down', async () => {
    await serve(() => Promise.reject(new PostgresDownError(new Error('refused'))));
    const answer = await post(bodyOf(200));
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(await partsOf(answer)).toEqual([500, INTERNAL]);
  });

  test('answers the same 500 without Retry-After when it is unexpected', async () => {
    await serve(() => Promise.reject(new TypeError('a mistake')));
    const answer = await post(bodyOf(200));
    expect(answer.headers.get('retry-after')).toBeNull();
    expect(await partsOf(answer)).toEqual([500, INTERNAL]);
  });

  test("answers 429 when the organization's memory limit is reached", async () => {
    const reason = 'too_many_bytes_of_organization';
    await serve(() => Promise.reject(new AppError('rate_limited', { reason, retryAfterSeconds: 5 })));
    const metadata = { reason: 'rate_limited', retryable: true };
    const error = { code: 429, message: 'Too many intern turns', metadata };
    expect(await partsOf(await post(bodyOf(200)))).toEqual([429, { error }]);
  });
});
