/** Checks that refusals in the shapes of all vendors are quoted, by every operation of every adapter. */
import { describe, expect, test } from '@jest/globals';
import { errorIn } from '../../providers/answer-checks.ts';
import { PUBLIC_MESSAGES } from '../../providers/public-message.ts';
import { vendorError } from '../../providers/vendor-error.ts';
import { failureOf } from './text-adapter-under-test.ts';
import { UPSTREAM_KEY } from './upstream-client.ts';
import { EXCHANGES } from './vendor-exchanges.ts';
import { setUpVendorOfAnswers } from './vendor-of-answers.ts';

const vendor = setUpVendorOfAnswers();
const JSON_TYPE = 'application/json';
const UNSAID = PUBLIC_MESSAGES.invalid_request;
const missing = { type: 'missing', loc: ['body', 'input'], msg: 'Field required', input: null };

/** Bodies of a refusal, and what is quoted of them. */
const SHAPES: [what: string, body: unknown, quoted: string][] = [
  ['an error object', { error: { message: 'No boats.', type: 'invalid_request_error' } }, 'No boats.'],
  ['an error in a list', [{ error: { code: 400, message: 'No boats.', status: 'INVALID' } }], 'No boats.'],
  ['an error that is a text', { error: 'No boats.' }, 'No boats.'],
  ['a title and a message', { statusCode: 400, error: 'Bad Request', message: 'No boats.' }, 'No boats.'],
  ['a message', { message: 'No boats.' }, 'No boats.'],
  ['a detail', { detail: 'No boats.' }, 'No boats.'],
  ['a detail with fields', { detail: { error: { message: 'No boats.' } } }, 'No boats.'],
  [
    'a list of details',
    { detail: [missing, { loc: ['body', 'messages', 0, 'role'], msg: 'Unknown role' }] },
    'body.input: Field required; body.messages.0.role: Unknown role',
  ],
  ['a list of errors', { errors: [{ code: 7, message: 'No boats.' }, 'No sails.'] }, 'No boats.; No sails.'],
  ['a problem', { type: 'about:blank', title: 'Bad Request', detail: 'No boats.' }, 'No boats.'],
  ['a JSON string', '"No boats."', 'No boats.'],
  ['a plain text', 'No boats.\r\n', 'No boats.'],
  ['a plain text in brackets', '[error] No boats.', '[error] No boats.'],
  ['a page', '<html><head><title>413 Too Large</title></head><body>nginx</body></html>', '413 Too Large'],
  ['a page without a title', '<!DOCTYPE html><html><body>No boats.</body></html>', UNSAID],
  ['JSON that ends too early', '{"error": {"message": "No bo', UNSAID],
  ['bytes', Buffer.from([0x1f, 0x8b, 0xff, 0xfe]), UNSAID],
  ['nothing', '', UNSAID],
  ['an object without words', { ok: false }, UNSAID],
  ['an empty error', { error: {}, detail: 'No boats.' }, 'No boats.'],
  ['a message with a capital (AWS)', { __type: 'ValidationException', Message: 'No boats.' }, 'No boats.'],
  ['an error_msg (Baidu)', { error_code: 336_003, error_msg: 'No boats.' }, 'No boats.'],
  ['an error_message', { error_message: 'No boats.' }, 'No boats.'],
  ['an err', { err: 'No boats.' }, 'No boats.'],
  ['an err with a msg', { err: { code: 7, msg: 'No boats.' } }, 'No boats.'],
  ['a base_resp (MiniMax)', { base_resp: { status_code: 2013, status_msg: 'No boats.' } }, 'No boats.'],
];

const textOf = (body: unknown): string | Buffer =>
  typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
const calls = EXCHANGES.flatMap(({ operation, adapters, ask }) =>
  adapters.map((adapter) => ({ name: `${operation} of ${adapter}`, adapter, ask })),
);

describe.each(calls)('a refusal of $name', ({ adapter, ask }) => {
  test("shows the vendor's message in every shape", async () => {
    const seen = new Map<string, unknown>();
    for (const [what, body] of SHAPES) {
      vendor.answerWith(422, JSON_TYPE, textOf(body));
      const { code, status, publicMessage } = await failureOf(
        ask(vendor.provider(adapter), vendor.newContext()),
      );
      seen.set(what, [code, status, publicMessage]);
    }
    expect([...seen]).toEqual(SHAPES.map(([what, , quoted]) => [what, ['invalid_request', 422, quoted]]));
  });

  test('shows no key, link or address, and at most 500 characters', async () => {
    const words = `Key ${UPSTREAM_KEY} at https://internal.example/v1, ask ops@vendor.example. ${'very '.repeat(5_000)}`;
    for (const body of [
      [{ error: { message: words } }],
      { detail: [{ loc: [words], msg: words }] },
      { Message: words },
      { error_msg: words },
      { err: { msg: words } },
      { base_resp: { status_code: 2013, status_msg: words } },
      words,
    ]) {
      vendor.answerWith(400, JSON_TYPE, textOf(body));
      const error = await failureOf(ask(vendor.provider(adapter), vendor.newContext()));
      expect(error.publicMessage).toMatch(/^Key \[\w+\] at \[link\]/);
      expect(error.publicMessage.length).toBeLessThanOrEqual(500);
      for (const text of [error.publicMessage, error.message, String(error.cause)])
        expect(text).not.toMatch(/sk-local|internal\.example|ops@vendor/);
    }
  });
});

const REFUSED = '{"code":400,"message":"No boats."}';
const EVENTS = 'text/event-stream';
const inText = calls.filter(({ name }) => !/speech|video/.test(name));
const streams = calls.filter(({ name }) => name.includes('stream'));

/** Errors within an answer of the status 200. */
const IN_ANSWERS: [what: string, body: string][] = [
  ['an error in a list', `[{"error":${REFUSED}}]`],
  ['an error with a status as text', '{"error":{"code":"400","message":"No boats."}}'],
  ['an error_msg', '{"error_code":"400","error_msg":"No boats."}'],
  ['an err', `{"err":{"code":400,"msg":"No boats."}}`],
  ['a base_resp', '{"id":"1","choices":null,"base_resp":{"status_code":2013,"status_msg":"No boats."}}'],
];

describe.each(inText)('an error in an answer of $name', ({ adapter, ask }) => {
  test.each(IN_ANSWERS)("fails with the vendor's message: %s", async (_, body) => {
    vendor.answerWith(200, JSON_TYPE, body);
    const error = await failureOf(ask(vendor.provider(adapter), vendor.newContext()));
    expect([error.code, error.publicMessage]).toEqual(['invalid_request', 'No boats.']);
  });
});

test.each([
  [1002, 'rate_limited'],
  [1004, 'unauthorized'],
  [1008, 'unauthorized'],
  [1026, 'content_policy'],
  [1039, 'rate_limited'],
  [1000, 'server_error'],
])('the status_code %d of a base_resp becomes %s', (status_code, code) => {
  const body = { base_resp: { status_code, status_msg: 'No boats.' } };
  expect(errorIn(body, [])).toMatchObject({ code });
});

test.each([
  { base_resp: { status_code: 0, status_msg: 'success' } },
  { err: null, error_msg: '' },
  { error_msg: 'a warning', choices: [{ message: { content: 'Hello' } }] },
])('a note about a success counts as no error: %j', (body) => {
  expect(errorIn(body, [])).toBeUndefined();
});

describe.each(streams)('an error in $name', ({ adapter, ask }) => {
  test.each([
    ['an event', `data: {"error":${REFUSED}}\n\n`],
    ['an event with a list', `data: [{"error":${REFUSED}}]\n\n`],
    ['an event with an err', 'data: {"err":{"code":400,"msg":"No boats."}}\n\n'],
    [
      'an event with a base_resp',
      'data: {"choices":null,"base_resp":{"status_code":2013,"status_msg":"No boats."}}\n\n',
    ],
    ['a named event', `event: error\ndata: ${REFUSED}\n\n`],
    ['a named event with an error object', `event: error\ndata: {"type":"error","error":${REFUSED}}\n\n`],
  ])("fails with the vendor's message from %s", async (_, body) => {
    vendor.answerWith(200, EVENTS, body);
    const error = await failureOf(ask(vendor.provider(adapter), vendor.newContext()));
    expect([error.code, error.publicMessage]).toEqual(['invalid_request', 'No boats.']);
  });

  test.each([
    ['a body without events', `{"error":${REFUSED}}`],
    ['an indented body without events', `\r\n${JSON.stringify({ error: JSON.parse(REFUSED) }, null, 2)}\n`],
    ['a list without events', `[{"error":${REFUSED}}]`],
    ['a body after a byte order mark', `\uFEFF{"error":${REFUSED}}`],
  ])("fails with the vendor's message out of %s", async (_, body) => {
    vendor.answerWith(200, EVENTS, body);
    const error = await failureOf(ask(vendor.provider(adapter), vendor.newContext()));
    expect([error.code, error.publicMessage]).toEqual(['invalid_request', 'No boats.']);
  });

  test('fails as invalid_response for a body that states no error', async () => {
    for (const body of ['{"ok":true}', '{"error":', '\n []']) {
      vendor.answerWith(200, EVENTS, body);
      const error = await failureOf(ask(vendor.provider(adapter), vendor.newContext()));
      expect([body, error.code]).toEqual([body, 'invalid_response']);
    }
  });

  test('fails as server_error for a named event with plain text', async () => {
    vendor.answerWith(200, EVENTS, 'event: error\ndata: No boats.\n\n');
    const error = await failureOf(ask(vendor.provider(adapter), vendor.newContext()));
    expect([error.code, String(error.cause)]).toEqual(['server_error', expect.stringContaining('No boats.')]);
  });
});

test.each([429, 500, 401, 404])("a vendor's message with %d stays with the operator", (status) => {
  for (const text of ['[{"error":{"message":"No boats."}}]', 'No boats.', '{"detail":"No boats."}']) {
    const error = vendorError({ status, headers: {}, text }, []);
    expect(Object.values(PUBLIC_MESSAGES)).toContain(error.publicMessage);
    expect(String(error.cause)).toMatch(/No boats/);
  }
});
