import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createUnconfirmedReadModel } from '../../../db/videos/unconfirmed-read-model.ts';
import type { FaultInput } from '../../../upstream/faults.ts';
import { settleJob } from '../../../services/videos/settle-job.ts';
import { sweep, type SweepReport } from '../../../services/sweep/sweep.ts';
import { type ReplicateUpstream, startReplicateUpstream } from '../../providers/replicate-upstream.ts';
import { UPSTREAM_KEY } from '../../providers/upstream-client.ts';
import {
  addCredential,
  clearOwnResources,
  type CredentialColumns,
  type CustomerServer,
  startCustomerServer,
} from '../../support/own-resources.ts';
import { addVideoModel } from '../../support/catalog.ts';
import { eventually } from '../../support/eventually.ts';
import { factsOf } from '../../support/job-facts.ts';
import { submit } from '../../support/jobs.ts';
import { runStarted } from '../../support/runs.ts';
import { startSubmitScene, type SubmitScene } from './submit-scene.ts';

/** Jobs that run with the customer's own credential. */
let scene: SubmitScene;
let server: CustomerServer;
let hanging: CustomerServer;
let vendor: ReplicateUpstream;

const MODEL = 'test/own-clip';
const PROVIDER = 'second';

beforeAll(async () => {
  [server, hanging, vendor] = await Promise.all([
    startCustomerServer(),
    startCustomerServer(),
    startReplicateUpstream(),
  ]);
  scene = await startSubmitScene({
    env: {
      PROVIDER_SECOND_API_KEY: 'upstream-key',
      PROVIDER_REPLICATE_API_KEY: UPSTREAM_KEY,
      PROVIDER_REPLICATE_BASE_URL: vendor.baseUrl,
    },
    prepare: async (gateway) => {
      const second = { provider: PROVIDER, adapter: 'openai-compatible' };
      await addVideoModel(gateway, MODEL, [
        second,
        { ...second, upstreamModelId: 'clip-1' },
        { provider: 'local' },
      ]);
    },
  });
});

afterAll(async () => {
  await scene.close();
  await Promise.all([server.close(), hanging.close(), vendor.upstream.close()]);
});

afterEach(async () => {
  await clearOwnResources(scene.gateway);
  await scene.gateway.database.query('truncate video_jobs cascade');
});

const bring = (customer: CustomerServer, columns: CredentialColumns = {}): Promise<string> =>
  addCredential(scene.gateway, customer.apiKey, {
    provider_slug: PROVIDER,
    base_url: customer.baseUrl,
    ...columns,
  });

/** Opens jobs until the API has noticed the credential, which was inserted with SQL. Returns one that uses it. */
function openOwnJob(credentialId: string, open: () => Promise<string>): Promise<string> {
  return eventually('a job with the credential', async () => {
    const id = await open();
    const { rows } = await scene.gateway.database.query(
      'select from video_jobs where id = $1 and credential_id = $2',
      [id, credentialId],
    );
    return rows.length > 0 ? id : undefined;
  });
}

const openClip = (credentialId: string, faults: FaultInput[] = []): Promise<string> =>
  openOwnJob(credentialId, () => scene.openJob(faults, MODEL, PROVIDER));

const askedOf = (customer: CustomerServer, target: string, jobId: string): number =>
  customer.requests(target).filter(({ requestId }) => requestId === jobId).length;

const REFUSES: FaultInput = { kind: 'status', on: 'create', status: 400 };

describe('the fallbacks of a job', () => {
  test("use the provider's other endpoints with the same credential", async () => {
    const jobId = await openClip(await bring(server), [{ kind: 'stall' }]);
    server.addFaults(REFUSES);
    expect((await scene.attempt(jobId)).kind).toBe('accepted');
    expect((await factsOf(scene.gateway, jobId)).submissions).toEqual(['refused', 'accepted']);
    expect(askedOf(server, 'create', jobId)).toBe(2);
  });

  test("never use the operator's account", async () => {
    const jobId = await openClip(await bring(server));
    server.addFaults({ ...REFUSES, times: 2 });
    expect(await scene.attempt(jobId)).toEqual({
      kind: 'ended',
      end: { status: 'failed', code: 'provider_refused' },
    });
    expect(askedOf(server, 'create', jobId)).toBe(2);
    expect(scene.asked('create', jobId)).toEqual([]);
  });
});

test('a job whose credential is deleted before its submission is answered fails, unbilled', async () => {
  // A provider that would take the repeated submission as the same one.
  const credentialId = await bring(server, { provider_slug: 'local' });
  const jobId = await openOwnJob(credentialId, () => scene.openJob([{ kind: 'drop-after', on: 'create' }]));
  expect((await scene.attempt(jobId)).kind).toBe('retry');
  expect((await factsOf(scene.gateway, jobId)).submissions).toEqual(['sending']);
  await scene.gateway.database.query('delete from byok_credentials where id = $1', [credentialId]);
  const end = { status: 'failed', code: 'credential_deleted' } as const;
  expect(await scene.attempt(jobId)).toEqual({ kind: 'ended', end });
  await settleJob(scene.deps.video, jobId, end);
  expect(await factsOf(scene.gateway, jobId)).toMatchObject({
    status: 'failed',
    failureCode: 'credential_deleted',
    generations: [{ status: 'failed', costNanos: '0' }],
  });
  expect(scene.asked('create', jobId)).toEqual([]);
});

test("a vendor that is reached with the customer's key receives no callback URL", async () => {
  const open = async () => {
    const { id } = await submit(scene.gateway, { model: 'kwaivgi/kling-v2.5-turbo-pro', duration: 5 });
    return id;
  };
  const webhookOf = async (jobId: string) => {
    expect((await scene.attempt(jobId)).kind).toBe('accepted');
    return vendor.predictions().at(-1)!.webhook;
  };
  expect(await webhookOf(await open())).toContain('/provider-callbacks/replicate/');
  const credentialId = await addCredential(scene.gateway, UPSTREAM_KEY, {
    provider_slug: 'replicate',
    base_url: vendor.baseUrl,
  });
  expect(await webhookOf(await openOwnJob(credentialId, open))).toBeUndefined();
});

describe("the sweep of a provider's leftover jobs", () => {
  async function acceptedJob(credentialId: string, faults: FaultInput[]): Promise<string> {
    const jobId = await openClip(credentialId, [{ kind: 'stall' }, ...faults]);
    expect((await scene.attempt(jobId)).kind).toBe('accepted');
    return jobId;
  }

  /** A job that has ended here without a word to its provider. */
  async function leftover(credentialId: string, faults: FaultInput[] = []): Promise<string> {
    const jobId = await acceptedJob(credentialId, faults);
    await settleJob(scene.deps.video, jobId, { status: 'failed', code: 'internal' });
    return jobId;
  }

  /** A job long past its deadline whose run is lost. */
  async function overdue(credentialId: string, faults: FaultInput[] = []): Promise<string> {
    const jobId = await acceptedJob(credentialId, faults);
    await runStarted(scene.gateway, jobId);
    await scene.gateway.temporal.workflow.getHandle(jobId).terminate();
    await scene.gateway.database.query(
      `update video_jobs set deadline_at = now() - interval '1 hour' where id = $1`,
      [jobId],
    );
    return jobId;
  }

  /** Sweeps as if five minutes had passed. */
  async function sweepLater(): Promise<SweepReport> {
    await scene.gateway.database.query('update job_submissions set next_cancel_at = leftover_since');
    return sweep(scene.deps.sweeping.sweep);
  }

  test.each([
    ['what is left over', leftover],
    ['what is overdue', overdue],
  ])("asks one customer's server about %s although another customer's hangs", async (_, job) => {
    const hung = await job(await bring(hanging, { sort_order: 1 }), [{ kind: 'hang', on: 'delete' }]);
    const stopped = await job(await bring(server, { sort_order: 0 }));
    await sweepLater();
    expect([askedOf(hanging, 'delete', hung), askedOf(server, 'delete', stopped)]).toEqual([1, 1]);
  });

  test('drops a leftover whose credential was deleted', async () => {
    await leftover(await bring(server));
    const listed = () => createUnconfirmedReadModel(scene.deps.knex).list(100);
    expect(await listed()).toHaveLength(1);
    await clearOwnResources(scene.gateway);
    expect(await sweepLater()).toMatchObject({ stopped: 1 });
    expect(await listed()).toEqual([]);
  });
});
