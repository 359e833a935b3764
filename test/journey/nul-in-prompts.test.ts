import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { generationsIn } from '../support/broadcast-scene.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { ledgerRow } from '../support/chat.ts';
import { makeDestination } from '../support/destinations.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { logged } from '../support/generation-reads.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { updateWorkspace } from '../support/workspaces.ts';

let gateway: Gateway;
let owner: Caller;
let receiver: Receiver;

beforeAll(async () => {
  [gateway, receiver] = await Promise.all([
    startGateway({ worker: ['broadcast'] }),
    startReceiver({ status: 200 }),
  ]);
  owner = createCaller(gateway.origin, gateway.apiKey);
  const manager = createCaller(gateway.origin, gateway.managementKey);
  await updateWorkspace(manager, gateway.workspaceId, { is_observability_io_logging_enabled: true });
  const groups = [{ logic: 'and', rules: [{ field: 'input', operator: 'contains', value: 'sluice' }] }];
  await makeDestination(manager, {
    config: { url: receiver.url },
    filter_rules: { enabled: true, groups },
  });
});

afterAll(async () => {
  await gateway.close();
  await receiver.close();
});

const PROMPT = 'a sluice\0 with half a \ud800 character';
const messages = [{ role: 'user', content: PROMPT }];
const tool = { type: 'function', function: { name: 'f', parameters: { 'a\0': ['\ud800'] } } };

test.each<[string, object, upstream: string]>([
  ['/chat/completions', { messages, tools: [tool], stop: ['\0'], 'an unknown \0': '\ud800' }, 'chat'],
  ['/chat/completions', { messages, stream: true }, 'chat'],
  ['/messages', { messages, system: PROMPT, max_tokens: 50 }, 'chat'],
  ['/responses', { input: PROMPT, instructions: PROMPT }, 'chat'],
  ['/responses', { input: PROMPT, stream: true }, 'chat'],
  ['/completions', { prompt: PROMPT }, 'chat'],
  ['/embeddings', { model: 'local/embed-1', input: [PROMPT] }, 'embeddings'],
  ['/rerank', { model: 'local/rerank-1', query: PROMPT, documents: [PROMPT] }, 'rerank'],
])(
  'a prompt with NUL and a lone surrogate is served, billed, logged and forwarded: POST %s',
  async (path, body, kind) => {
    const answer = await owner.call('POST', path, { body: { model: 'local/echo-1', ...body } });
    expect([await answer.text(), answer.status]).toEqual([expect.any(String), 200]);
    const id = answer.headers.get('x-generation-id')!;
    const sent = gateway.upstream.requests(kind as 'chat').at(-1)!.fields;
    expect(JSON.stringify(sent)).toContain(JSON.stringify(PROMPT).slice(1, -1));
    expect(await ledgerRow(gateway, id)).toMatchObject({ status: 'completed' });
    expect(JSON.stringify(await logged(owner, id))).toContain('u0000 with half a ');
    await eventually('the event', async () => {
      const events = receiver.received.find(({ body: event }) => generationsIn(event).includes(id));
      return events === undefined ? undefined : true;
    });
  },
);
