import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addKey, addOrganization } from '../support/accounts.ts';
import { createCaller } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ended, submit } from '../support/jobs.ts';
import { type ScimSource, somePeople, startScimSource } from '../support/scim-source.ts';
import { beginFirstSync, type SyncJobRecord, syncJobEnded } from '../support/syncs.ts';
import { createWorkerProcesses, type WorkerProcesses } from '../support/worker-processes.ts';

/**
 * One of two workers lives for two seconds and is killed by SIGKILL, again and again, until all work has ended. Work
 * begins right before each of the first deaths, so that the dying worker has claimed some of it.
 */
const LIFE_MS = 2_000;
const DEATHS_UNDER_WORK = 3;
/** The number of syncs and of video jobs that begin before a death. */
const BEGUN_AT_ONCE = 4;

let gateway: Gateway;
let source: ScimSource;
let workers: WorkerProcesses;

beforeAll(async () => {
  source = await startScimSource();
  source.people = somePeople(20);
  gateway = await startGateway();
  workers = createWorkerProcesses(gateway);
  await workers.start();
});

afterAll(async () => {
  await workers.close();
  await gateway.close();
  await source.close();
});

/** Begins the first sync of an organization of its own. Returns its end. */
async function beginSync(): Promise<{ end: Promise<SyncJobRecord> }> {
  const { token } = await addKey(gateway, { ...(await addOrganization(gateway)), kind: 'management' });
  const manager = createCaller(gateway.origin, token);
  const jobId = await beginFirstSync(manager, source);
  return { end: syncJobEnded(manager, jobId) };
}

test('syncs and video jobs begin and end while one of two workers dies every two seconds', async () => {
  const syncs: Promise<SyncJobRecord>[] = [];
  const videos: Promise<{ status: string }>[] = [];
  const work = new AbortController();
  const begin = async (): Promise<void> => {
    syncs.push((await beginSync()).end);
    videos.push(submit(gateway).then(({ id }) => ended(gateway, id)));
  };
  const live = async (beginWork: () => Promise<unknown>): Promise<void> => {
    const doomed = await workers.start();
    await delay(LIFE_MS, undefined, { signal: work.signal }).catch(() => {});
    await beginWork();
    await doomed.kill();
  };

  for (let deaths = 0; deaths < DEATHS_UNDER_WORK; deaths += 1) {
    await live(() => Promise.all(Array.from({ length: BEGUN_AT_ONCE }, begin)));
  }
  const ends = Promise.all([Promise.all(syncs), Promise.all(videos)]).finally(() => work.abort());
  while (!work.signal.aborted) await live(async () => {});
  const [ofSyncs, ofVideos] = await ends;
  expect(new Set(ofSyncs.map(({ status }) => status))).toEqual(new Set(['succeeded']));
  expect(new Set(ofVideos.map(({ status }) => status))).toEqual(new Set(['completed']));
  expect([ofSyncs.length, ofVideos.length]).toEqual([12, 12]);
}, 300_000);
