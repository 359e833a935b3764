import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { videoWebhookEvent } from '../../contract/webhook-events.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ended, submit, type WireJob } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

let gateway: Gateway;
let receiver: Receiver;
let first: WireJob;
let job: WireJob;

beforeAll(async () => {
  gateway = await startGateway({ worker: ['video', 'webhooks'] });
  receiver = await startReceiver();
  await gateway.database.query('update api_keys set creator_user_id = (select id from users)');
  first = await submit(gateway, {
    model: 'local/clip-1',
    prompt: 'a lighthouse at dawn',
    duration: 1,
    resolution: '360p',
    callback_url: receiver.url,
    user: 'customer-7',
    session_id: 'session-7',
  });
  job = await ended(gateway, first.id);
});

afterAll(async () => {
  await receiver.close();
  await gateway.close();
});

describe('a video job, from request to signed webhook', () => {
  test('answers at once with only id, polling URL and status', () => {
    expect(first).toEqual({
      id: expect.stringMatching(/^gen-vid-\d+-[0-9A-Za-z]{20}$/),
      polling_url: `/api/v1/videos/${first.id}`,
      status: 'pending',
    });
  });

  test('completes with generation, price, both kinds of URL and the expiry of its outputs', () => {
    const sevenDaysOn = Date.now() / 1_000 + 7 * 86_400;
    expect(job).toEqual({
      id: first.id,
      polling_url: first.polling_url,
      status: 'completed',
      model: 'local/clip-1',
      created_at: expect.any(String),
      started_at: expect.any(String),
      progress: 100,
      waiting: null,
      deadline_at: expect.any(String),
      cancel_requested_at: null,
      webhook: expect.objectContaining({ state: expect.any(String) }),
      generation_id: expect.stringMatching(/^gen-\d+-[0-9A-Za-z]{20}$/),
      unsigned_urls: [`https://gateway.example/api/v1/videos/${first.id}/content?index=0`],
      urls: [expect.stringContaining(`https://gateway.example/api/v1/videos/${first.id}/outputs/0?expires=`)],
      urls_expire_at: expect.any(Number),
      expires_at: expect.any(Number),
      usage: { cost: 0.01, is_byok: false },
    });
    expect(Math.abs(job.expires_at! - sevenDaysOn)).toBeLessThan(120);
    expect(Date.parse(job.deadline_at!)).toBeGreaterThan(Date.parse(job.started_at!));
  });

  test('serves the file by key and by signed URL, with type, length and ranges', async () => {
    const byKey = await gateway.call('GET', `/videos/${job.id}/content`);
    expect(byKey.status).toBe(200);
    expect(byKey.headers.get('content-type')).toBe('video/mp4');
    const bytes = Buffer.from(await byKey.arrayBuffer());
    expect(bytes.length).toBe(Number(byKey.headers.get('content-length')));
    expect(bytes.subarray(4, 8).toString()).toBe('ftyp');

    const link = new URL(job.urls![0]!);
    const signed = await fetch(gateway.origin + link.pathname + link.search);
    expect(Buffer.from(await signed.arrayBuffer()).equals(bytes)).toBe(true);

    const part = await fetch(gateway.origin + link.pathname + link.search, {
      headers: { range: 'bytes=4-7' },
    });
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      `bytes 4-7/${bytes.length}`,
      'ftyp',
    ]);
    const head = await gateway.call('HEAD', `/videos/${job.id}/content`);
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      String(bytes.length),
      '',
    ]);
    const beyond = await gateway.call('GET', `/videos/${job.id}/content`, {
      headers: { range: `bytes=${bytes.length}-` },
    });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`]);
  });

  test('sends one webhook that the standard verifier accepts, without signed URLs', async () => {
    const [webhook] = await receiver.next(1);
    const headers = webhook!.headers as Record<string, string>;
    expect(headers['webhook-id']).toBe(`${job.id}-completed`);
    const event = new Webhook(gateway.webhookSecret).verify(webhook!.body, headers);
    expect(videoWebhookEvent.parse(event)).toEqual({
      type: 'video.generation.completed',
      timestamp: expect.any(String),
      created_at: expect.any(String),
      data: {
        id: job.id,
        status: 'completed',
        generation_id: job.generation_id,
        model: 'local/clip-1',
        unsigned_urls: job.unsigned_urls,
        usage: job.usage,
      },
    });
    expect(webhook!.body).not.toContain('signature');
    expect(receiver.received).toHaveLength(1);
  });

  test('appears once in the ledger and in the counters of key and organization', async () => {
    const { rows } = await gateway.database.query(
      `select g.id, g.cost_nanos, g.status, g.media_completion, d.session_id, g.user_id, g.external_user
       from generations g join generation_details d using (created_at, id)`,
    );
    const key = (await (await gateway.call('GET', '/key')).json()) as { data: Record<string, unknown> };
    expect(rows).toEqual([
      {
        id: job.generation_id,
        cost_nanos: '10000000',
        status: 'completed',
        media_completion: 1,
        session_id: 'session-7',
        user_id: key.data['creator_user_id'],
        external_user: 'customer-7',
      },
    ]);
    expect(key.data).toMatchObject({
      creator_user_id: expect.stringMatching(/^user_/),
      usage: 0.01,
      usage_daily: 0.01,
      usage_weekly: 0.01,
      usage_monthly: 0.01,
    });
    const sums = await gateway.database.query(
      'select sum(usage_nanos) sum, sum(request_count) n from organization_usage_totals',
    );
    expect(sums.rows).toEqual([{ sum: '10000000', n: '1' }]);
  });

  test('sends the provider neither user nor session of the caller', () => {
    const created = gateway.upstream.requests('create');
    expect(created).toHaveLength(1);
    expect(JSON.stringify(created)).not.toMatch(/customer-7|session-7/);
  });

  test('keeps its prompt and URLs out of the workflow history, in at most 40 events', async () => {
    const { events } = await gateway.temporal.workflow.getHandle(job.id).fetchHistory();
    expect(events!.length).toBeLessThanOrEqual(40);
    const text = JSON.stringify(events, (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value,
    );
    expect(text).toContain(job.id);
    expect(text).not.toMatch(/lighthouse|127\.0\.0\.1:\d+\/(v1|hook)|whsec|sk-slc/);
  });

  test('has the search attributes that operators use', async () => {
    const { typedSearchAttributes } = await gateway.temporal.workflow.getHandle(job.id).describe();
    const found = Object.fromEntries(
      typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]),
    );
    expect(found).toMatchObject({
      SluiceKind: 'video',
      SluiceModel: 'local/clip-1',
      SluiceProvider: 'local',
      SluiceStatus: 'completed',
      SluiceWorkspaceId: gateway.workspaceId,
    });
  });
});

test('a picture reaches the provider however its data URL is spelled', async () => {
  const png =
    'DATA:Image/PNG;name=dot;BASE64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const { id } = await submit(gateway, {
    model: 'local/clip-1',
    prompt: 'a dot',
    duration: 1,
    resolution: '360p',
    frame_images: [{ type: 'image_url', image_url: { url: png }, frame_type: 'first_frame' }],
  });
  expect((await ended(gateway, id)).status).toBe('completed');
  const sent = gateway.upstream.requests('create').find(({ requestId }) => requestId === id);
  expect(sent?.fields).toMatchObject({ input_reference: { contentType: 'image/png', bytes: 70 } });
});
