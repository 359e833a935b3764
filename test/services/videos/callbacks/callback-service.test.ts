import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { bootstrap } from '../../../../admin/bootstrap.ts';
import { createDatabase, type Database } from '../../../support/open-database.ts';
import { createJobRunStore } from '../../../../db/videos/job-run-store.ts';
import { createSubmissionStore } from '../../../../db/videos/submission-store.ts';
import { createVideoJobStore } from '../../../../db/videos/video-job-store.ts';
import { newGenerationId, newVideoJobId } from '../../../../domain/ids.ts';
import { createLogger } from '../../../../platform/logger.ts';
import { createProviders } from '../../../../providers/registry.ts';
import {
  type CallbackService,
  createCallbackService,
} from '../../../../services/videos/callbacks/callback-service.ts';
import { createCallbackTokens } from '../../../../services/videos/callbacks/callback-url.ts';
import { signed, WEBHOOK_SECRET } from '../../../providers/replicate-upstream.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';

const tokens = createCallbackTokens([randomBytes(32)]);

let testDatabase: TestDatabase;
let database: Database;
let place: { organizationId: string; workspaceId: string; keyId: number };
/** Jobs whose runs were signalled. */
let signalled: string[];
let temporalIsAway: boolean;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 4 });
  const encryption = { currentKeyId: 'test', keys: new Map([['test', randomBytes(32)]]) };
  const { organizationId, workspaceId } = await bootstrap(testDatabase.url, encryption, {
    organizationName: 'Test',
    email: 'owner@example.com',
    creditEnforcement: false,
    entitlements: [],
  });
  const { id: keyId } = await database.knex('api_keys').first('id');
  place = { organizationId, workspaceId, keyId };
});

beforeEach(() => {
  signalled = [];
  temporalIsAway = false;
});

afterEach(() => database.knex.raw('truncate job_submissions, video_jobs cascade'));

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

function createService(webhookSecret?: string): CallbackService {
  const rows = [{ slug: 'replicate', adapter: 'replicate', baseUrl: 'https://api.replicate.test/v1' }];
  const providers = createProviders({
    rows,
    credentials: () => (webhookSecret === undefined ? {} : { webhookSecret }),
    outbound: { fetch: () => Promise.reject(new Error('nothing is fetched here')) },
  });
  return createCallbackService({
    knex: database.knex,
    videoAdapter: (slug) => providers.get(slug)?.video,
    tokens,
    runs: {
      async signalProviderCallback(jobId) {
        signalled.push(jobId);
        if (temporalIsAway) throw new Error('Temporal is away');
      },
    },
    logger: createLogger({ level: 'fatal', name: 'test' }),
  });
}

/** A job whose first submission is under way. */
async function addJob(provider = 'replicate'): Promise<string> {
  const now = Date.now();
  const id = newVideoJobId(now);
  await createVideoJobStore(database.knex).insert({
    ...place,
    id,
    generationId: newGenerationId(now),
    model: 'acme/clip',
    provider,
    endpointIds: [`acme/clip@${provider}`],
    request: { model: 'acme/clip', prompt: 'x' },
    requestFacts: { shaped: { generateAudio: false }, mediaCount: 0, inputModalities: ['text'] },
    client: { requestId: 'req_test' },
    priceNanos: 0n,
    isByok: false,
    deadlineAt: new Date(now + 60_000),
    createdAt: new Date(now),
  });
  await createSubmissionStore(database.knex).insertSending({
    jobId: id,
    n: 1,
    endpointId: `acme/clip@${provider}`,
    provider,
    idempotencyKey: `${id}-1`,
  });
  return id;
}

async function addAcceptedJob(operationId: string): Promise<string> {
  const id = await addJob();
  await createSubmissionStore(database.knex).markAccepted(id, 1, { id: operationId });
  await createJobRunStore(database.knex).markInProgress(id, 'replicate', new Date(Date.now() + 60_000));
  return id;
}

/** As the vendor sends it to a job's own address, unsigned. */
function tell(service: CallbackService, jobId: string, operationId: string, status = 'succeeded') {
  const body = Buffer.from(JSON.stringify({ id: operationId, status }));
  const job = { id: jobId, token: tokens.issue('replicate', jobId) };
  return service.receive({ provider: 'replicate', headers: {}, body, job });
}

describe("a callback at a job's own address", () => {
  test('needs only its token when no secret is configured for the vendor', async () => {
    const id = await addAcceptedJob('p1');
    expect(await tell(createService(), id, 'p1')).toBe(true);
    expect(signalled).toEqual([id]);
  });

  test('signals once, even if the signal was lost during an outage of Temporal', async () => {
    const id = await addAcceptedJob('p1');
    temporalIsAway = true;
    expect(await tell(createService(), id, 'p1')).toBe(true);
    temporalIsAway = false;
    expect(await tell(createService(), id, 'p1')).toBe(true);
    expect(signalled).toEqual([id]);
  });

  test('signals once when ten arrive at the same time', async () => {
    const id = await addAcceptedJob('p1');
    const service = createService();
    const answers = await Promise.all(Array.from({ length: 10 }, () => tell(service, id, 'p1')));
    expect(answers).toEqual(Array.from({ length: 10 }, () => true));
    expect(signalled).toEqual([id]);
  });

  test('counts when it arrives before the response to the submission', async () => {
    const id = await addJob();
    expect(await tell(createService(), id, 'p1')).toBe(true);
    expect(signalled).toEqual([id]);
  });

  test('signals nothing about a submission that was given up', async () => {
    const id = await addAcceptedJob('p2');
    expect(await tell(createService(), id, 'p1')).toBe(true);
    expect(await tell(createService(), id, 'p1', 'processing')).toBe(true);
    expect(signalled).toEqual([]);
    expect(await database.knex('video_jobs').first('vendor_status')).toEqual({ vendor_status: 'accepted' });
  });

  test('signals nothing from a provider that the job has left', async () => {
    const id = await addJob('another');
    expect(await tell(createService(), id, 'p1')).toBe(true);
    expect(signalled).toEqual([]);
  });

  test('changes nothing about a job that has ended', async () => {
    const id = await addAcceptedJob('p1');
    await createJobRunStore(database.knex).end(
      id,
      { status: 'cancelled', code: 'cancelled' },
      { message: null, keepsProviderMessage: false },
      null,
    );
    const before = await database.knex('video_jobs').first();
    expect(await tell(createService(), id, 'p1')).toBe(true);
    expect(await tell(createService(), id, 'p1', 'processing')).toBe(true);
    expect(signalled).toEqual([]);
    expect(await database.knex('video_jobs').first()).toEqual(before);
  });
});

describe('a callback at the address of all jobs', () => {
  const body = JSON.stringify({ id: 'p1', status: 'succeeded' });
  const callback = {
    provider: 'replicate',
    headers: signed(WEBHOOK_SECRET, 'p1', body),
    body: Buffer.from(body),
  };

  test("finds its job by the vendor's id among several submissions", async () => {
    const [first, second] = [await addAcceptedJob('p1'), await addAcceptedJob('p2')];
    expect(await createService(WEBHOOK_SECRET).receive(callback)).toBe(true);
    expect(signalled).toEqual([first]);
    expect(signalled).not.toContain(second);
  });

  test('needs a configured secret', async () => {
    await addAcceptedJob('p1');
    expect(await createService().receive(callback)).toBe(false);
    expect(signalled).toEqual([]);
  });

  test('fails when it names no known job', async () => {
    expect(await createService(WEBHOOK_SECRET).receive(callback)).toBe(false);
  });
});

describe("the admission of a callback's body", () => {
  const id = newVideoJobId(0);
  const provider = 'replicate';
  const token = tokens.issue(provider, id);

  test('requires a token of the job and the provider', () => {
    const service = createService();
    expect(service.admits({ provider, job: { id, token } })).toBe(true);
    expect(service.admits({ provider, job: { id, token: '' } })).toBe(false);
    expect(service.admits({ provider, job: { id: newVideoJobId(0), token } })).toBe(false);
    expect(service.admits({ provider: 'another', job: { id, token } })).toBe(false);
  });

  test('requires a signing secret of the provider when no token is given', () => {
    expect(createService(WEBHOOK_SECRET).admits({ provider })).toBe(true);
    expect(createService().admits({ provider })).toBe(false);
    expect(createService(WEBHOOK_SECRET).admits({ provider: 'another' })).toBe(false);
  });
});
