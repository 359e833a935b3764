/** Makes the work of a noisy tenant: video jobs with tarpits as callbacks, and slow observability destinations. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { addKey, addOrganization, type Place } from '../../test/support/accounts.ts';
import { type Caller, createCaller } from '../../test/support/caller.ts';
import { deleteDestination, makeDestination } from '../../test/support/destinations.ts';
import type { MeasuredGateway } from '../gateway-process.ts';

export interface NoisyTenant {
  /** Submits video jobs, each with a callback that never answers. */
  submitJobs(count: number): Promise<void>;
  /** Creates slow destinations, five in each workspace, and makes generations for them until they are deleted. */
  makeDestinations(count: number): Promise<void>;
  deleteDestinations(): Promise<void>;
  openJobs(): Promise<number>;
  close(): void;
}

const DESTINATIONS_OF_WORKSPACE = 5;
const REQUESTS_AT_ONCE = 8;
/** Shorter than an answer of the tools, so that each destination always has something to send. */
const CHAT_EVERY_MS = 5_000;

export async function openNoisyTenant(gateway: MeasuredGateway): Promise<NoisyTenant> {
  const { receivers, port } = await startReceivers();
  const place = await addOrganization(gateway);
  const management = await addKey(gateway, { ...place, kind: 'management' });
  const manager = createCaller(gateway.origin, management.token);
  const caller = createCaller(gateway.origin, (await addKey(gateway, place)).token);
  // Without a secret, webhooks are not sent.
  await manager.call('POST', `/workspaces/${place.workspaceId}/webhook-secret/rotate`);
  const destinations: string[] = [];
  const timers: NodeJS.Timeout[] = [];

  return {
    submitJobs: (count) =>
      inParallel(count, async () => {
        const callbackUrl = `http://127.0.0.1:${port}/tarpit`;
        const body = {
          model: 'local/clip-canned',
          prompt: 'a job of the noisy tenant',
          callback_url: callbackUrl,
        };
        await expectStatus(await caller.call('POST', '/videos', { body }), 202);
      }),
    makeDestinations: (count) =>
      inParallel(count / DESTINATIONS_OF_WORKSPACE, async (n) => {
        const workspaceId = await addWorkspace(manager, n);
        for (let i = 0; i < DESTINATIONS_OF_WORKSPACE; i += 1) {
          // Every address of 127.0.0.0/8 belongs to this machine.
          const url = `http://127.1.0.${(n % 250) + 1}:${port}/slow/${i}`;
          const made = await makeDestination(manager, { workspace_id: workspaceId, config: { url } });
          destinations.push(made.id);
        }
        const { token } = await addKey(gateway, { ...place, workspaceId });
        const chatter = createCaller(gateway.origin, token);
        timers.push(setInterval(() => void chat(chatter), CHAT_EVERY_MS));
      }),
    async deleteDestinations() {
      for (const timer of timers) clearInterval(timer);
      await inParallel(destinations.length, async (n) => {
        await expectStatus(await deleteDestination(manager, destinations[n]!), 200);
      });
    },
    openJobs: () => countOpenJobs(gateway, place),
    close: () => void receivers.kill(),
  };
}

async function startReceivers(): Promise<{ receivers: ChildProcess; port: number }> {
  const file = fileURLToPath(new URL('slow-receivers.ts', import.meta.url));
  const receivers = fork(file, { execArgv: ['--no-warnings'] });
  const [{ port }] = (await once(receivers, 'message')) as [{ port: number }];
  return { receivers, port };
}

async function addWorkspace(manager: Caller, n: number): Promise<string> {
  const body = { name: `Noise ${n}`, slug: `noise-${n}` };
  const text = await expectStatus(await manager.call('POST', '/workspaces', { body }), 201);
  return (JSON.parse(text) as { data: { id: string } }).data.id;
}

async function chat(caller: Caller): Promise<void> {
  const body = { model: 'local/chat-canned', messages: [{ role: 'user', content: 'Hello' }] };
  await (await caller.call('POST', '/chat/completions', { body })).arrayBuffer();
}

async function countOpenJobs(
  { database }: Pick<MeasuredGateway, 'database'>,
  { organizationId }: Place,
): Promise<number> {
  const { rows } = await database.query<{ n: number }>(
    `select count(*)::integer n from video_jobs
     where organization_id = $1 and status in ('pending', 'in_progress')`,
    [organizationId],
  );
  return rows[0]!.n;
}

async function expectStatus(response: Response, status: number): Promise<string> {
  const text = await response.text();
  if (response.status !== status) throw new Error(`${response.status}: ${text}`);
  return text;
}

async function inParallel(count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) await work(n);
  };
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, lane));
}
