import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { findFreePorts } from '../../dev/ports.ts';
import { addKey, addOrganization } from '../support/accounts.ts';
import { type ApiProcess, startApiProcess } from '../support/api-process.ts';
import { createCaller } from '../support/caller.ts';
import { askChat, completed } from '../support/chat.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import {
  type HostileAnswer,
  type HostileUpstream,
  startHostileUpstream,
} from '../support/hostile-upstream.ts';
import { type IdleReaders, startIdleReaders } from '../support/idle-readers.ts';
import { addCredential, addPrivateEndpoint } from '../support/own-resources.ts';

const MIB = 1024 ** 2;
/** So small that the memory of a few dozen of these answers would end the process. */
const HEAP = ['--max-old-space-size=256'];
const MOST_MEMORY = 700 * MIB;

let gateway: Gateway;
let upstream: HostileUpstream;
let api: ApiProcess;
let metricsUrl: string;
let hasEnded = false;
let readers: IdleReaders | undefined;

beforeAll(async () => {
  [gateway, upstream] = await Promise.all([startGateway(), startHostileUpstream()]);
  const [port = 0] = await findFreePorts(1);
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  api = await startApiProcess(gateway, { METRICS_PORT: String(port) }, { flags: HEAP });
  void api.exited.then(() => (hasEnded = true));
});
afterEach(() => readers?.close());
afterAll(async () => {
  await api.kill();
  await gateway.close();
  await upstream.close();
});

/** An organization with a private endpoint at the hostile upstream. Returns its key. */
async function addAttacker(): Promise<string> {
  const place = await addOrganization(gateway);
  const scene = { ...gateway, ...place };
  await addCredential(scene, 'any', { base_url: upstream.baseUrl, origin: upstream.origin });
  await addPrivateEndpoint(scene, upstream.baseUrl);
  return (await addKey(gateway, place)).token;
}

/** Another tenant's chats, one after the other. */
async function expectAnswers(count: number): Promise<void> {
  const caller = createCaller(api.origin, gateway.apiKey);
  for (let n = 0; n < count; n += 1) await completed(await askChat(gateway, {}, caller));
}

/** The memory of the process in bytes. */
function residentBytes(): number {
  const [, kibibytes] = /^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${api.pid}/status`, 'utf8'))!;
  return Number(kibibytes) * 1024;
}

async function answerMemory(): Promise<number> {
  const metrics = await (await fetch(metricsUrl)).text();
  return Number(/^sluice_answer_memory_bytes (\d+)$/m.exec(metrics)![1]);
}

test.each<[HostileAnswer, number, boolean]>([
  ['huge-whole', 40, false],
  ['large-whole', 40, false],
  ['huge-events', 150, true],
  ['large-events', 150, true],
  ['kept-event', 150, true],
])("%s answers to %i idle readers leave other tenants' chats working", async (answer, count, stream) => {
  const apiKey = await addAttacker();
  const messages = [{ role: 'user', content: answer }];
  const body = { model: 'local/echo-1', stream, messages, provider: { only: ['openai-compatible'] } };
  const before = upstream.asked();
  readers = startIdleReaders({ origin: api.origin, apiKey, body, count });
  const refused = (): number => readers!.statuses.get(429) ?? 0;
  await eventually('the attack', async () => upstream.asked() - before + refused() >= count || undefined);
  await expectAnswers(30);
  expect(hasEnded).toBe(false);
  expect(residentBytes()).toBeLessThan(MOST_MEMORY);
  readers.close();
  await eventually('the released memory', async () => (await answerMemory()) === 0 || undefined);
  await expectAnswers(3);
});
