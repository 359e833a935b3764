/** Checks that a secret which a vendor repeats reaches no log line, message, history or status of a job. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { ProviderError } from '../../domain/provider-error.ts';
import { createLogger } from '../../platform/logger.ts';
import type { Provider } from '../../providers/provider.ts';
import type { VideoOperation } from '../../providers/video-adapter.ts';
import { createProviderDispatcher } from '../../providers/provider-connection.ts';
import { DEFAULT_TIMEOUTS } from '../../providers/provider-settings.ts';
import { createProvider } from '../../providers/registry.ts';
import { scrubVendorText } from '../../providers/public-message.ts';
import { base64Forms, repeatedForms } from '../support/repeated-secret.ts';
import { placesIn, withValueAt } from './changed-answers.ts';
import { chunksOf, failureOf } from './text-adapter-under-test.ts';
import { EXCHANGES } from './vendor-exchanges.ts';
import { VEO } from './video-exchanges.ts';
import { setUpVendorOfAnswers } from './vendor-of-answers.ts';
import { freeAnswer } from '../support/free-answer.ts';

const SECRET = 'planted/5310+"end"';
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A customer's server that answers every request with these bytes. */
async function serverOf(answer: string): Promise<Provider> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.end(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => server.close());
  const dispatcher = createProviderDispatcher();
  cleanups.push(() => dispatcher.destroy());
  const provider = createProvider('openai-compatible', {
    slug: 'own',
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    apiKey: SECRET,
    dispatcher,
    outbound: { fetch: () => Promise.reject(new Error('nothing is fetched here')) },
    timeouts: DEFAULT_TIMEOUTS,
  });
  if (provider === undefined) throw new Error('no adapter');
  return provider;
}

const head = (status: string, type: string): string =>
  `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: ${type}\r\n\r\n`;
const json = (value: unknown): string => JSON.stringify(value);
const base64 = Buffer.from(SECRET).toString('base64');

/** All that the log and the caller are told of a failure. */
function toldOf(error: ProviderError): string {
  let line = '';
  const destination = { write: (text: string) => void (line += text) };
  createLogger({ level: 'info', name: 'test', destination }).error({ err: error }, 'failed');
  return `${line} ${error.publicMessage} ${error.brief} ${error.vendorMessage}`;
}

const leaks = (text: string): string[] =>
  [...repeatedForms(SECRET).map(([, form]) => form), base64.slice(0, 20)].filter(
    (form) => text.includes(form) || text.includes(json(form).slice(1, -1)),
  );

const ANSWERS: [what: string, answer: string][] = [
  ['an error message', head('400 Bad', 'application/json') + json({ error: { message: `Bad ${SECRET}` } })],
  ['a refusal of it', head('401 No', 'application/json') + json({ error: { message: `Bearer ${SECRET}` } })],
  ['its base64 form', head('400 Bad', 'application/json') + json({ error: { message: `Basic: ${base64}` } })],
  ['a code', head('500 No', 'application/json') + json({ error: { code: SECRET, message: SECRET } })],
  ['a page', `${head('500 No', 'text/html')}<p>${SECRET}</p>`],
  ...repeatedForms(SECRET).map(([how, form]): [string, string] => [
    `a page, ${how}`,
    `${head('500 No', 'text/html')}<p>${form}</p>`,
  ]),
  ['a query', `${head('404 No', 'text/plain')}/models?k=${encodeURIComponent(SECRET)}`],
  ['an unknown shape of error', head('500 No', 'application/json') + json({ headers: { auth: SECRET } })],
  ['an answer that is no JSON', head('200 OK', 'application/json') + SECRET],
  ['an answer in a list', head('200 OK', 'application/json') + json([SECRET])],
  ['an error in a success', head('200 OK', 'application/json') + json({ error: { message: SECRET } })],
  ['an event', `${head('200 OK', 'text/event-stream')}data: ${SECRET}\n\n`],
  ['an event of an error', `${head('200 OK', 'text/event-stream')}event: error\ndata: ${SECRET}\n\n`],
  ['a header', `HTTP/1.1 200 OK\r\nauthorization ${SECRET}\r\n\r\n`],
  ['bytes that are no HTTP', SECRET],
];

test.each(ANSWERS)(
  'a secret repeated by a server in %s reaches no log line or message',
  async (_, answer) => {
    const { chat } = await serverOf(answer);
    const request = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
    const timeouts = { firstByteMs: 60_000, idleMs: 60_000, attemptMs: 60_000 };
    const context = () => ({
      signal: new AbortController().signal,
      requestId: 'r',
      timeouts,
      answer: freeAnswer(),
    });
    const whole = await failureOf(chat!.complete(request, context()));
    const streamed = await failureOf(chat!.stream(request, context()).then(chunksOf));
    expect([whole, streamed].map((error) => leaks(toldOf(error)))).toEqual([[], []]);
  },
);

test.each([
  ['the type of a file', `${head('200 OK', SECRET)}x`],
  ['what should be a file', head('200 OK', 'application/json') + SECRET],
])('a secret repeated by a server in %s reaches no log line', async (_, answer) => {
  const { speech } = await serverOf(answer);
  const request = { model: 'm', input: 'Hi', voice: 'alloy', references: [], format: 'mp3' };
  const timeouts = { firstByteMs: 60_000, idleMs: 60_000, attemptMs: 60_000 };
  const context = { signal: new AbortController().signal, requestId: 'r', timeouts, answer: freeAnswer() };
  const error = await failureOf(Promise.resolve(speech!.speak(request as never, context)));
  expect(leaks(toldOf(error))).toEqual([]);
});

const vendor = setUpVendorOfAnswers(SECRET);
const calls = EXCHANGES.flatMap((exchange) =>
  exchange.adapters.map((adapter) => ({ ...exchange, name: `${exchange.operation} of ${adapter}`, adapter })),
);

/** All that is told of a failure, or the status of a job without the addresses of its files, which no customer sees. */
const toldBy = (adapter: string, ask: (typeof calls)[number]['ask']): Promise<string> =>
  ask(vendor.provider(adapter), vendor.newContext()).then(
    (status) => json({ ...(status as object), outputs: [] }),
    (error: ProviderError) => toldOf(error),
  );

/** Answers that repeat the secret, with a status. */
const REPEATING: [status: number, type: string, body: (secret: string) => string][] = [
  [400, 'application/json', (form) => json({ error: { message: `Bad ${form}` } })],
  [401, 'application/json', (form) => json({ detail: [{ loc: [form], msg: form, type: form }] })],
  [404, 'text/plain', (form) => `/models?k=${form}`],
  [422, 'application/json', (form) => json({ title: form, detail: form, error_type: form })],
  [
    500,
    'application/json',
    (form) => json({ error: { code: form, status: form, details: [{ reason: form }] } }),
  ],
  [200, 'application/json', (form) => json({ error: { message: form, code: form } })],
  [200, 'text/event-stream', (form) => `event: error\ndata: ${form}\n\n`],
  [200, 'text/html', (form) => `<p>${form}</p>`],
];

describe.each(calls)('a secret repeated to $name', ({ adapter, ask }) => {
  // How it may be written is tried above: here it is plain.
  test.each(REPEATING)('reaches no log line or message from a %d of %s', async (status, type, body) => {
    vendor.answerWith(status, type, body(SECRET));
    expect(leaks(await toldBy(adapter, ask))).toEqual([]);
  });
});

const statuses = calls.filter(({ operation }) => operation.includes('status of a'));

test.each(statuses)('a secret repeated to $name does not enter the job', async ({ adapter, answer, ask }) => {
  const { decisive, undecisive } = placesIn(answer, []);
  const failed = { status: 'failed', done: true, error: { message: SECRET, code: SECRET } };
  const texts = [...decisive, ...undecisive].map((place) => withValueAt(answer, place, SECRET));
  for (const changed of [...texts, { ...answer, ...failed, response: undefined, steps: [] }]) {
    vendor.answerWith(200, 'application/json', json(changed));
    expect([json(changed), leaks(await toldBy(adapter, ask))]).toEqual([json(changed), []]);
  }
});

test.each<[adapter: string, file: string, operation: VideoOperation]>([
  ['google', 'files/a', { id: 'i1' }],
  ['google', 'inline:0', { id: 'i1' }],
  ['google-vertex', 'gs://b-1/a.mp4', { id: VEO }],
  ['google-vertex', 'inline:0', { id: VEO }],
])(
  'a secret repeated to %s in place of the file %s reaches no log line',
  async (adapter, file, operation) => {
    vendor.answerWith(400, 'application/json', json({ error: { message: `Bad ${SECRET}` } }));
    const location = file.startsWith('files/') ? vendor.urlOf(file) : file;
    const { video } = vendor.provider(adapter);
    const opened = video!.openOutput({ index: 0, location }, operation, vendor.newContext());
    const error = await failureOf(opened);
    expect([error.code, leaks(toldOf(error))]).toEqual(['invalid_request', []]);
  },
);

describe('scrubVendorText', () => {
  test.each([...repeatedForms(SECRET), ['in hex', Buffer.from(SECRET).toString('hex')]])(
    'redacts a secret: %s',
    (_, form) => {
      expect(scrubVendorText(`seen: ${form}!`, [SECRET])).toBe('seen: [redacted]!');
    },
  );

  test.each(base64Forms(SECRET))('redacts a secret in %s', (_, form) => {
    expect(scrubVendorText(`seen: ${form}`, [SECRET])).toMatch(
      /^seen: \S{0,3}\[redacted\][\w+/-]{0,4}={0,2}$/,
    );
  });

  test('redacts a short secret', () => {
    expect(scrubVendorText('a b', ['b'])).toBe('a [redacted]');
  });
});

test.each(['x', 'a-', 'a.', 'a@'])('a message of a million times %j is cut before the search', (piece) => {
  expect(scrubVendorText(piece.repeat(2 ** 20), [SECRET]).length).toBeLessThanOrEqual(500);
});
