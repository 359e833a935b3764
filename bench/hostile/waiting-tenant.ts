/** Measures what a tenant waits for: a video job, its webhook, a broadcast event and a validation. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Caller, createCaller } from '../../test/support/caller.ts';
import { makeDestination } from '../../test/support/destinations.ts';
import { startModelServer } from '../../test/support/model-server.ts';
import { addCredential, addPrivateEndpoint } from '../../test/support/own-resources.ts';
import { type Receiver, startReceiver } from '../../test/support/receiver.ts';
import type { MeasuredGateway } from '../gateway-process.ts';

export const WORK = ['job', 'webhook', 'event', 'validation'] as const;

/** The seconds that each kind of work took, from its request. */
export type Waits = Record<(typeof WORK)[number], number>;

export interface WaitingTenant {
  /** Does each kind of work once, one after the other. */
  measure(): Promise<Waits>;
  close(): Promise<void>;
}

const LOOK_EVERY_MS = 20;
const GIVE_UP_AFTER_MS = 600_000;

/** Opens the gateway's own organization as a tenant with a webhook receiver, a destination and a private endpoint. */
export async function openWaitingTenant(gateway: MeasuredGateway): Promise<WaitingTenant> {
  const caller = createCaller(gateway.origin, gateway.apiKey);
  const manager = createCaller(gateway.origin, gateway.managementKey);
  const [hooks, tool, model] = await Promise.all([startReceiver(), startReceiver(), startModelServer()]);
  await makeDestination(manager, { config: { url: tool.url } });
  const { baseUrl } = model;
  await addCredential(gateway, 'the-key-of-the-tenant', { base_url: baseUrl });
  const endpointId = await addPrivateEndpoint(gateway, baseUrl, { upstream_model_id: 'own' });
  const body = { workspace_id: gateway.workspaceId };
  return {
    async measure() {
      const { job, webhook } = await runJob(caller, hooks);
      const event = await seconds(() => sendEvent(caller, tool));
      const validation = await seconds(async () => {
        const answer = await manager.call('POST', `/private-endpoints/${endpointId}/validate`, { body });
        const { data } = await answerOf<{ data: { passed: boolean } }>(answer, 200);
        if (!data.passed) throw new Error('the endpoint did not pass its validation');
      });
      return { job, webhook, event, validation };
    },
    async close() {
      await Promise.all([hooks.close(), tool.close(), model.close()]);
    },
  };
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now();
  await work();
  return (performance.now() - startedAtMs) / 1_000;
}

/** Runs a job. Returns the seconds until it has completed, and until its webhook has arrived. */
async function runJob(caller: Caller, hooks: Receiver): Promise<Pick<Waits, 'job' | 'webhook'>> {
  const before = hooks.received.length;
  const body = { model: 'local/clip-canned', prompt: 'a job of the other tenant', callback_url: hooks.url };
  const sent = caller
    .call('POST', '/videos', { body })
    .then((answer) => answerOf<{ id: string }>(answer, 202));
  const [job, webhook] = await Promise.all([
    seconds(async () => {
      const { id } = await sent;
      await until('the end of the job', async () => {
        const answer = await caller.call('GET', `/videos/${id}`);
        return (await answerOf<{ status: string }>(answer, 200)).status === 'completed';
      });
    }),
    seconds(() => until('the webhook', async () => hooks.received.length > before)),
  ]);
  return { job, webhook };
}

/** Makes a generation, and waits until the tenant's destination has received it. */
async function sendEvent(caller: Caller, tool: Receiver): Promise<void> {
  const before = tool.received.length;
  const body = { model: 'local/chat-canned', messages: [{ role: 'user', content: 'Hello' }] };
  await answerOf(await caller.call('POST', '/chat/completions', { body }), 200);
  await until('the event', async () => tool.received.length > before);
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const endsAtMs = performance.now() + GIVE_UP_AFTER_MS;
  while (!(await isSo())) {
    if (performance.now() > endsAtMs) throw new Error(`gave up waiting for ${what}`);
    await delay(LOOK_EVERY_MS);
  }
}

async function answerOf<Body>(response: Response, status: number): Promise<Body> {
  const text = await response.text();
  if (response.status !== status) throw new Error(`${response.status}: ${text}`);
  return JSON.parse(text) as Body;
}
