import { describe, expect, jest, test } from '@jest/globals';
import fs from 'node:fs';
import { createLogger } from '../../platform/logger.ts';
import type { Logger } from '../../platform/logger.ts';

const KEY = 'sk-slc-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789_-AbCde';
const WEBHOOK_SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

interface Line {
  [field: string]: unknown;
}

/** What the logger wrote: the raw lines, and the last one parsed. */
function logWith(write: (logger: Logger) => void): { raw: string; line: Line } {
  let raw = '';
  const destination = { write: (text: string) => void (raw += text) };
  write(createLogger({ level: 'debug', name: 'test', destination }));
  return { raw, line: JSON.parse(raw.trim().split('\n').at(-1) || '{}') as Line };
}

test('the logger writes one JSON line with time, level, name and message', () => {
  const { raw, line } = logWith((logger) => logger.info({ jobId: 'gen-vid-1' }, 'submitted'));
  expect(line).toMatchObject({ level: 'info', name: 'test', jobId: 'gen-vid-1', msg: 'submitted' });
  const time = String(line['time']);
  expect(time).toBe(new Date(time).toISOString());
  expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(60_000);
  expect(raw.endsWith('}\n')).toBe(true);
});

test('the logger drops messages below its level', () => {
  expect(logWith((logger) => logger.trace('noise')).raw).toBe('');
});

describe('redaction by name', () => {
  test.each([
    'authorization',
    'Authorization',
    'proxy-authorization',
    'cookie',
    'set-cookie',
    'x-api-key',
    'xi-api-key',
    'apiKey',
    'key',
    'token',
    'access_token',
    'secret',
    'webhookSecret',
    'secretAccessKey',
    'password',
    'private_key',
    'signature',
    'webhook-signature',
    'ENCRYPTION_KEYS',
    'managementKey',
    'credentials',
  ])('hides the value of %s', (name) => {
    expect(logWith((logger) => logger.info({ [name]: 'hush-hush' })).raw).not.toContain('hush-hush');
  });

  test('hides values at any depth, in arrays and of any type', () => {
    const { raw, line } = logWith((logger) =>
      logger.info({
        request: { headers: { authorization: ['hush-1'], accept: '*/*' } },
        destinations: [{ config: { api_key: { value: 'hush-2' } } }, { token: 31337 }],
      }),
    );
    expect(raw).not.toMatch(/hush|31337/);
    expect(line['request']).toEqual({ headers: { authorization: '[redacted]', accept: '*/*' } });
  });

  test('covers the bindings of a child logger and of its child', () => {
    const { raw, line } = logWith((logger) =>
      logger
        .child({ requestId: 'req_1', token: 'hush-1' })
        .child({ session: { cookie: 'hush-2' } })
        .warn({ secret: 'hush-3' }, 'careful'),
    );
    expect(raw).not.toContain('hush');
    expect(line).toMatchObject({ requestId: 'req_1', token: '[redacted]', level: 'warn', msg: 'careful' });
  });

  test('keeps fields whose names only resemble secret ones', () => {
    const harmless = {
      keyId: 7,
      keyHash: 'ab12',
      promptTokens: 12,
      max_tokens: 100,
      objectKey: 'outputs/1.mp4',
      tokenizer: 'x',
      signatureValid: true,
      token: null,
    };
    expect(logWith((logger) => logger.info(harmless)).line).toMatchObject(harmless);
  });
});

describe('redaction by pattern', () => {
  test.each([
    ['a gateway key', `key ${KEY} refused`, KEY],
    ['a vendor key', 'sk-proj-abcdefghijklmnop used', 'abcdefghijklmnop'],
    ['a webhook secret', `signing with ${WEBHOOK_SECRET}`, WEBHOOK_SECRET],
    ['a bearer token', 'sent Authorization: Bearer abc.def-ghi', 'abc.def-ghi'],
    ['a basic credential', 'sent Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
    ['a connection string', 'connecting to postgres://sluice:pa55word@db:5432/sluice', 'pa55word'],
    ['our signed URL', 'GET /api/v1/videos/x/outputs/0?expires=9&signature=c2lnbmVk', 'c2lnbmVk'],
    [
      'an S3 signed URL',
      'https://b.s3.amazonaws.com/k?X-Amz-Credential=AKIA1&X-Amz-Signature=d34db33f',
      'd34db33f',
    ],
    ['an Azure signed URL', 'https://a.blob.core.windows.net/c?sv=1&sig=abc%2Fdef', 'abc%2Fdef'],
    ['a token in a query', 'https://hooks.example/?access_token=t0ken&x=1', 't0ken'],
  ])('hides %s in the message and in fields', (_what, text, hidden) => {
    const { raw } = logWith((logger) => logger.info({ nested: { url: text, list: [text] } }, text));
    expect(raw).not.toContain(hidden);
    expect(raw).toContain('[redacted]');
  });

  test('keeps the rest of the text', () => {
    const url = 'https://api.example/v?expires=9&signature=abc&index=0';
    expect(logWith((logger) => logger.info({ url })).line['url']).toBe(
      'https://api.example/v?expires=9&signature=[redacted]&index=0',
    );
  });

  test("keeps a key's label", () => {
    expect(logWith((logger) => logger.info({ label: 'sk-slc-AbC...wxyz' })).line['label']).toBe(
      'sk-slc-AbC...wxyz',
    );
  });
});

describe('a logged error', () => {
  class UpstreamError extends Error {
    readonly status = 502;
    readonly response = { headers: { 'x-api-key': 'hush-header' } };
  }

  test('has its type, message, stack, facts and causes, without secrets in any', () => {
    const root = new Error(`connect failed: https://user:hush-pw@up.example/?token=hush-token with ${KEY}`);
    const middle = Object.assign(new Error('submit failed', { cause: root }), { apiKey: 'hush-key' });
    const { raw, line } = logWith((logger) =>
      logger.error({ err: new UpstreamError('job failed', { cause: middle }) }, 'oops'),
    );
    expect(raw).not.toContain('hush');
    expect(raw).not.toContain(KEY);
    expect(line).toMatchObject({
      msg: 'oops',
      err: {
        type: 'Error',
        message: 'job failed',
        status: 502,
        stack: expect.stringContaining('logger.test.ts'),
        cause: { message: 'submit failed', cause: { message: expect.stringContaining('connect failed') } },
      },
    });
  });

  test('becomes the message when logged alone', () => {
    const { line } = logWith((logger) => logger.error(new TypeError('not a number')));
    expect(line).toMatchObject({ msg: 'not a number', err: { type: 'TypeError', message: 'not a number' } });
  });
});

test('the logger writes values that JSON cannot hold in another form', () => {
  const cyclic: Record<string, unknown> = { bytes: Buffer.alloc(1000), nanos: 12_345_678_901_234_567_890n };
  cyclic['self'] = cyclic;
  const { line } = logWith((logger) =>
    logger.info({ cyclic, when: new Date(0), map: new Map([['token', 'hush']]), nothing: undefined }),
  );
  expect(line).toMatchObject({
    cyclic: { bytes: '[1000 bytes]', nanos: '12345678901234567890', self: '[circular]' },
    when: '1970-01-01T00:00:00.000Z',
    map: '[Map of 1]',
  });
});

test('the logger cuts objects that are too deep and lists that are too long', () => {
  let deep: object = { bottom: 'reached' };
  for (let level = 0; level < 20; level += 1) deep = { deep };
  const { raw, line } = logWith((logger) =>
    logger.info({ deep, long: Array.from({ length: 500 }, () => 1) }),
  );
  expect(raw).not.toContain('reached');
  expect(line['long']).toHaveLength(50);
});

test('a warning reaches standard output at once, without waiting for the disk', () => {
  const write = jest.spyOn(fs, 'writeSync').mockImplementation((_fd, text) => String(text).length);
  const sync = jest.spyOn(fs, 'fsyncSync').mockImplementation(() => {});
  try {
    const logger = createLogger({ level: 'info', name: 'api' });
    logger.info('first');
    expect(write).not.toHaveBeenCalled();
    logger.warn('second');
    expect(write.mock.calls.map(([, text]) => text)).toEqual([expect.stringMatching(/"first"[^]*"second"/)]);
    expect(sync).not.toHaveBeenCalled();
  } finally {
    write.mockRestore();
    sync.mockRestore();
  }
});
