import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../support/eventually.ts';
import { expectBalancedBooks } from '../support/expect-one-end.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { submit } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startSilentServer } from '../support/silent-server.ts';

interface Attempt {
  attempt: number;
  outcome: string;
  status_code: number | null;
  reason: string | null;
  response_excerpt: string | null;
}

interface Delivery {
  id: string;
  status: string;
  attempts: Attempt[];
}

const WORKER = ['maintenance', 'video', 'webhooks'] as const;

let gateway: Gateway;
const receivers: Receiver[] = [];

beforeAll(async () => {
  gateway = await startGateway({ worker: WORKER });
});

afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
  await gateway.close();
});

async function receive(...answers: Receiver['answers']): Promise<Receiver> {
  const receiver = await startReceiver(...answers);
  receivers.push(receiver);
  return receiver;
}

/** The delivery of a job once it has left `pending`, with its attempts. */
async function delivered(jobId: string, { database } = gateway): Promise<Delivery> {
  const delivery = await eventually(`the delivery of ${jobId}`, async () => {
    const { rows } = await database.query(
      `select id, status from webhook_deliveries where job_id = $1 and status <> 'pending'`,
      [jobId],
    );
    return rows[0] as { id: string; status: string } | undefined;
  });
  const { rows } = await database.query(
    `select attempt, outcome, status_code, reason, response_excerpt from webhook_attempts
     where delivery_id = $1 order by replay, attempt`,
    [delivery.id],
  );
  return { ...delivery, attempts: rows as Attempt[] };
}

/** The attempts that got an answer: on a busy machine any attempt may time out instead. */
function answered({ attempts }: Delivery): Attempt[] {
  const those = attempts.filter((attempt) => attempt.status_code !== null);
  expect(those).not.toEqual([]);
  return those;
}

describe('a webhook', () => {
  test('repeats after 5xx with the same id and bytes and a new signature', async () => {
    const receiver = await receive({ status: 500, body: 'try later' }, { status: 503 }, { status: 204 });
    const job = await submit(gateway, { callback_url: receiver.url });
    const sent = await receiver.next(3);
    const log = await delivered(job.id);
    const codes = answered(log).map((attempt) => attempt.status_code);
    // An attempt that timed out on a busy machine shows no code; the last one was answered, or there were more.
    expect([500, 503, 204]).toEqual(expect.arrayContaining(codes));
    expect([log.status, codes.at(-1)]).toEqual(['delivered', 204]);
    for (const attempt of answered(log).filter(({ status_code: code }) => code === 500)) {
      expect(attempt).toMatchObject({ outcome: 'failed', response_excerpt: 'try later' });
    }
    expect(new Set(sent.map((request) => request.headers['webhook-id'])).size).toBe(1);
    expect(new Set(sent.map((request) => request.body)).size).toBe(1);
    expect(new Set(sent.map((request) => request.headers['webhook-signature'])).size).toBe(3);
    const verifier = new Webhook(gateway.webhookSecret);
    for (const { body, headers } of sent) {
      expect(() => verifier.verify(body, headers as Record<string, string>)).not.toThrow();
    }
  });

  test('ends as exhausted when the schedule is used up', async () => {
    const receiver = await receive({ status: 500 });
    const job = await submit(gateway, { callback_url: receiver.url });
    const log = await delivered(job.id);
    expect([log.status, log.attempts.length, receiver.received.length]).toEqual(['exhausted', 3, 3]);
  });

  test('stops at 410', async () => {
    const receiver = await receive({ status: 410 });
    const job = await submit(gateway, { callback_url: receiver.url });
    const log = await delivered(job.id);
    expect([log.status, log.attempts.map((attempt) => attempt.outcome)]).toEqual(['stopped', ['refused']]);
  });

  test('follows no redirect', async () => {
    const target = await receive();
    const receiver = await receive({ status: 302, headers: { location: target.url } });
    const job = await submit(gateway, { callback_url: receiver.url });
    const log = await delivered(job.id);
    expect(new Set(answered(log).map((attempt) => attempt.status_code))).toEqual(new Set([302]));
    expect([log.status, target.received.length]).toEqual(['exhausted', 0]);
  });

  test('waits as long as Retry-After asks, beyond the schedule', async () => {
    const receiver = await receive({ status: 429, headers: { 'retry-after': '3' } }, { status: 204 });
    const job = await submit(gateway, { callback_url: receiver.url });
    await delivered(job.id);
    const { rows } = await gateway.database.query(
      `select extract(epoch from max(a.started_at) filter (where a.status_code = 204)
                               - max(a.finished_at) filter (where a.status_code = 429)) waited
       from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id where d.job_id = $1`,
      [job.id],
    );
    expect(Number((rows[0] as { waited: string }).waited)).toBeGreaterThanOrEqual(2.9);
  });

  test('times out on a receiver that never answers', async () => {
    const silent = await startSilentServer();
    const hasty = await startGateway({ worker: WORKER, env: { WEBHOOK_TIMEOUT: '1s' } });
    const job = await submit(hasty, { callback_url: `http://${silent.address}/` });
    const log = await delivered(job.id, hasty);
    expect(log.attempts.map((attempt) => attempt.outcome)).toEqual(['failed', 'failed', 'failed']);
    expect(log.status).toBe('exhausted');
    await hasty.close();
    await silent.close();
  });

  test('records ECONNREFUSED and ends as exhausted when no receiver listens', async () => {
    const closed = await startReceiver();
    await closed.close();
    const job = await submit(gateway, { callback_url: closed.url });
    const log = await delivered(job.id);
    const refused = expect.objectContaining({ reason: expect.stringContaining('ECONNREFUSED') });
    expect(log.attempts).toEqual([refused, refused, refused]);
    expect(log.status).toBe('exhausted');
  });

  test('keeps at most 1 KiB of an answer', async () => {
    const receiver = await receive({ status: 500, body: 'x'.repeat(100_000) });
    const job = await submit(gateway, { callback_url: receiver.url });
    const log = await delivered(job.id);
    for (const attempt of answered(log)) expect(attempt.response_excerpt).toHaveLength(1_024);
  });

  test('keeps id and body in a replay, and the log shows both attempts', async () => {
    const receiver = await receive();
    const job = await submit(gateway, { callback_url: receiver.url });
    const { id } = await delivered(job.id);
    const replay = await gateway.call('POST', `/webhooks/deliveries/${id}/replay`, {
      headers: { authorization: `Bearer ${gateway.managementKey}` },
    });
    expect(replay.status).toBeLessThan(300);
    const sent = await receiver.next(2);
    expect(sent[1]?.headers['webhook-id']).toBe(sent[0]?.headers['webhook-id']);
    expect(sent[1]?.body).toBe(sent[0]?.body);
    expect((await delivered(job.id)).attempts).toHaveLength(2);
  });

  test('reports a failed job with its reason and no URLs', async () => {
    const receiver = await receive();
    await submit(gateway, {
      callback_url: receiver.url,
      provider: { options: { local: { faults: [{ kind: 'fail', message: 'No such thing.' }] } } },
    });
    const [sent] = await receiver.next(1);
    const event = JSON.parse(sent!.body) as { type: string; data: Record<string, unknown> };
    expect(event.type).toBe('video.generation.failed');
    expect(event.data).toEqual({
      id: expect.any(String),
      status: 'failed',
      generation_id: expect.any(String),
      model: 'local/clip-canned',
      error: 'No such thing.',
    });
  });
});

test('each receiver got one event id, and the counters agree with the ledger', async () => {
  for (const { received } of receivers) {
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBeLessThanOrEqual(1);
  }
  await expectBalancedBooks(gateway);
});

test('a webhook to a private address is refused at delivery with address_not_allowed', async () => {
  await gateway.stopWorker();
  const job = await submit(gateway, { callback_url: 'http://127.0.0.1:9/' });
  await gateway.database.query(`update video_jobs set callback_url = 'https://10.0.0.1/hook' where id = $1`, [
    job.id,
  ]);
  await gateway.startWorker();
  const { attempts } = await delivered(job.id);
  expect(attempts[0]).toMatchObject({ outcome: 'refused', reason: 'address_not_allowed' });
});
