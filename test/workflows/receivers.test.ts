import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectBalancedBooks, expectCompletedOnce } from '../support/expect-one-end.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { deliveryEnded } from '../support/job-facts.ts';
import { submit } from '../support/jobs.ts';
import { type Misdeed, type Receiver, startReceiver } from '../support/receiver.ts';

/** So slow that what the gateway keeps of an answer is not full before the test is over. */
const DRIP_EVERY_MS = 400;

let gateway: Gateway;
const receivers: Receiver[] = [];

beforeAll(async () => {
  gateway = await startGateway({
    worker: ALL_QUEUES,
    env: { WEBHOOK_TIMEOUT: '5s', WEBHOOK_SCHEDULE_SECONDS: '0,0' },
  });
});

afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
  await gateway.close();
});

/** Sends the words, and then the drop again and again for as long as the connection lasts. */
function drip(words: string, drop: string): Misdeed {
  return (connection) => {
    connection.write(words);
    const timer = setInterval(() => connection.write(drop), DRIP_EVERY_MS);
    connection.once('close', () => clearInterval(timer));
  };
}

/** Sends the words, and then more of the flood than anyone reads, as fast as it is taken. */
function flood(words: string, drop: string): Misdeed {
  return (connection) => {
    connection.write(words);
    const pour = (): void => {
      while (connection.writable && connection.write(drop.repeat(100)));
    };
    connection.on('drain', pour);
    pour();
  };
}

const CHUNK = '1\r\na\r\n';
const chunked = (status: string) => `HTTP/1.1 ${status}\r\ntransfer-encoding: chunked\r\n\r\n`;
const LATE = 'The endpoint did not finish answering within 5000 ms';
const LOST = 'The connection was lost';

/** What a receiver does with the first attempt, and what is on record of it then. */
const FAILED: [what: string, misdeed: Misdeed, outcome: string][] = [
  ['says nothing', () => {}, LATE],
  ['drips a header for ever', drip('HTTP/1.1 200 OK\r\nx-slow: ', 'a'), LATE],
  ['drips headers for ever', drip('HTTP/1.1 200 OK\r\n', 'x-slow: a\r\n'), LATE],
  ['promises an answer for ever', drip('', 'HTTP/1.1 102 Processing\r\n\r\n'), LATE],
  ['drips the body of a 500 for ever', drip(chunked('500 No'), CHUNK), '500'],
  ['drips the body of a redirect for ever', drip(chunked('302 There'), CHUNK), '302'],
  ['sends headers without end', flood('HTTP/1.1 200 OK\r\n', 'x-more: a\r\n'), LOST],
  ['sends the body of a 503 without end', flood(chunked('503 No'), CHUNK), '503'],
  ['cuts the connection', (connection) => void connection.resetAndDestroy(), LOST],
  ['hangs up in the middle of its headers', (connection) => void connection.end('HTTP/1.1 2'), LOST],
  ['answers something that is not HTTP', (connection) => void connection.end('220 mail\r\n\r\n'), LOST],
  [
    'sends us to a private address',
    (connection) => void connection.end('HTTP/1.1 307 There\r\nlocation: http://169.254.169.254/\r\n\r\n'),
    '307',
  ],
];

/** `left`: once the connection is over, which a receiver that goes on for ever leaves to the gateway. */
function watched(misdeed: Misdeed): { misdeed: Misdeed; left: Promise<void> } {
  const { promise: left, resolve } = Promise.withResolvers<void>();
  return {
    left,
    misdeed(connection: Socket) {
      connection.on('error', () => {});
      connection.once('close', () => resolve());
      misdeed(connection);
    },
  };
}

async function deliverTo(misdeed: Misdeed): Promise<{ receiver: Receiver; jobId: string }> {
  const { misdeed: first, left } = watched(misdeed);
  const receiver = await startReceiver(first, { status: 204 });
  receivers.push(receiver);
  const { id: jobId } = await submit(gateway, { callback_url: receiver.url });
  await left;
  return { receiver, jobId };
}

describe('a misbehaving receiver', () => {
  test.concurrent.each(FAILED)(
    '%s and gets the event again after a failed attempt',
    async (_, misdeed, outcome) => {
      const { receiver, jobId } = await deliverTo(misdeed);
      await expectCompletedOnce(gateway, receiver, jobId);
      expect((await deliveryEnded(gateway, jobId)).attempts).toEqual([
        expect.stringMatching(`^0.1 failed ${outcome}`),
        '0.2 delivered 204',
      ]);
      const [first, second] = receiver.received;
      expect(second!.body).toBe(first!.body);
      expect(receiver.received).toHaveLength(2);
    },
  );

  test.concurrent.each<[string, Misdeed]>([
    ['drips', drip(chunked('200 OK'), CHUNK)],
    ['sends without end', flood(chunked('200 OK'), CHUNK)],
    ['breaks off', (connection) => void connection.end(chunked('200 OK') + CHUNK)],
  ])('says 200, %s its body and gets the event once', async (_, misdeed) => {
    const { receiver, jobId } = await deliverTo(misdeed);
    await expectCompletedOnce(gateway, receiver, jobId);
    expect((await deliveryEnded(gateway, jobId)).attempts).toEqual(['0.1 delivered 200']);
    expect(receiver.received).toHaveLength(1);
  });
});

test('the log keeps 1,024 characters of a response at most, and the counters agree', async () => {
  const { rows } = await gateway.database.query<{ status: number; excerpt: string }>(
    `select distinct status_code status, response_excerpt excerpt from webhook_attempts
     where response_excerpt <> '' and status_code in (302, 500, 503)`,
  );
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set([302, 500, 503]));
  for (const { excerpt } of rows) expect(excerpt).toMatch(/^a{1,1024}$/);
  await expectBalancedBooks(gateway);
});
