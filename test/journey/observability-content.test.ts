import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addWorkspace } from '../support/accounts.ts';
import { askChat, generationIdOf } from '../support/chat.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { makeDestination } from '../support/destinations.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { askImages } from '../support/images.ts';
import { getJob, submit } from '../support/jobs.ts';
import { askMessage } from '../support/messages.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { askResponse } from '../support/responses.ts';

type Attributes = Record<string, string | undefined>;
interface Span {
  status?: { code?: number; message?: string };
  attributes: { key: string; value: { stringValue?: string; boolValue?: boolean } }[];
}

const PIXEL = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==';
const SAID = 'You said: Hello there';
const text = (content: string) => ({ type: 'text', content });
const ASKED = [{ role: 'user', parts: [text('Hello there')] }];
const ANSWERED = [{ role: 'assistant', parts: [text(SAID)], finish_reason: 'stop' }];

let gateway: Gateway;
let owner: Caller;
let open: Receiver;
let closed: Receiver;
let filtered: Receiver;

beforeAll(async () => {
  gateway = await startGateway({ worker: ['broadcast', 'video'] });
  owner = createCaller(gateway.origin, gateway.apiKey);
  const manager = createCaller(gateway.origin, gateway.managementKey);
  [open, closed, filtered] = await Promise.all([
    startReceiver({ status: 200 }),
    startReceiver({ status: 200 }),
    startReceiver({ status: 200 }),
  ]);
  const rules = [{ field: 'output', operator: 'contains', value: 'magic word' }];
  const fields = (receiver: Receiver) => ({ config: { url: receiver.url } });
  await makeDestination(manager, fields(open));
  await makeDestination(manager, { ...fields(closed), privacy_mode: true });
  await makeDestination(manager, {
    ...fields(filtered),
    privacy_mode: true,
    filter_rules: { enabled: true, groups: [{ logic: 'and', rules }] },
  });
});

afterAll(async () => {
  await gateway.close();
  await Promise.all([open, closed, filtered].map((receiver) => receiver.close()));
});

const spansIn = ({ received }: Receiver): Span[] =>
  received.flatMap(({ body }) => {
    const { resourceSpans } = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
    return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  });

/** The attributes of a generation's span, once it has arrived. */
function sentTo(receiver: Receiver, generationId: string): Promise<Attributes> {
  return eventually(`the span of ${generationId}`, async () => {
    for (const { attributes } of spansIn(receiver)) {
      const texts = Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));
      if (texts['sluice.generation.id'] === generationId) return texts;
    }
    return undefined;
  });
}

function read(attributes: Attributes, name: string): unknown {
  const json = attributes[name];
  return json === undefined ? undefined : JSON.parse(json);
}

/** Reads the whole answer, so that the generation is settled. */
async function idOf(answer: Promise<Response>): Promise<string> {
  const response = await answer;
  const id = generationIdOf(response);
  await response.arrayBuffer();
  return id;
}

const chat = (body: object) => askChat(gateway, body);
const message = (body: object) => askMessage(gateway, body);
const response = (body: object) => askResponse(gateway, body);

describe.each([
  { dialect: 'chat', ask: chat, system: undefined },
  { dialect: 'messages', ask: message, system: { system: 'Be kind' } },
  { dialect: 'responses', ask: response, system: { instructions: 'Be kind' } },
])('a generation of $dialect', ({ ask, system }) => {
  test.each([false, true])('arrives with prompt and answer; streamed: %p', async (stream) => {
    const attributes = await sentTo(open, await idOf(ask({ stream, ...system })));
    expect(read(attributes, 'gen_ai.input.messages')).toEqual(ASKED);
    expect(read(attributes, 'gen_ai.output.messages')).toEqual(ANSWERED);
    expect(read(attributes, 'gen_ai.system_instructions')).toEqual(system && [text('Be kind')]);
  });
});

test('a ranking arrives with its query and the scores of its documents', async () => {
  const body = { model: 'local/rerank-1', query: 'best boat', documents: ['a boat', 'a car'] };
  const attributes = await sentTo(open, await idOf(owner.call('POST', '/rerank', { body })));
  expect(attributes['gen_ai.retrieval.query.text']).toBe('best boat');
  const documents = read(attributes, 'gen_ai.retrieval.documents') as { id: string; score: number }[];
  expect(documents.map(({ id }) => id).sort()).toEqual(['0', '1']);
  expect(documents.every(({ score }) => typeof score === 'number')).toBe(true);
});

test('an embedding arrives with its text and without its vector', async () => {
  const body = { model: 'local/embed-1', input: 'Hello there' };
  const attributes = await sentTo(open, await idOf(owner.call('POST', '/embeddings', { body })));
  expect(read(attributes, 'gen_ai.input.messages')).toEqual(ASKED);
  expect(attributes['gen_ai.output.messages']).toBeUndefined();
});

test('image requests arrive with their prompt, and no message carries a picture', async () => {
  const attributes = await sentTo(open, await idOf(askImages(gateway, { prompt: 'Hello there' })));
  expect(read(attributes, 'gen_ai.input.messages')).toEqual(ASKED);
  const content = [
    { type: 'text', text: 'See' },
    { type: 'image_url', image_url: { url: PIXEL } },
  ];
  const seen = await sentTo(open, await idOf(chat({ messages: [{ role: 'user', content }] })));
  expect(seen['gen_ai.input.messages']).toContain('[image/png removed]');
  expect(open.received.map(({ body }) => body).join()).not.toContain('iVBORw0KGgo');
});

test('a video job arrives with its prompt after its end', async () => {
  const { id } = await submit(owner, { prompt: 'Hello there' });
  const generationId = await eventually('the end of the job', async () => {
    const { status, generation_id: found } = await getJob(owner, id);
    return status === 'completed' ? found : undefined;
  });
  const attributes = await sentTo(open, generationId);
  expect(read(attributes, 'gen_ai.input.messages')).toEqual(ASKED);
});

test('a failure arrives with its prompt and the public error message only', async () => {
  gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 503 });
  const failed = await chat({});
  const told = (await failed.clone().json()) as { error: { message: string } };
  const id = generationIdOf(failed);
  const attributes = await sentTo(open, id);
  expect(read(attributes, 'gen_ai.input.messages')).toEqual(ASKED);
  expect(attributes['gen_ai.output.messages']).toBeUndefined();
  const span = spansIn(open).find((one) => JSON.stringify(one).includes(id));
  expect(span?.status?.message).toBe(told.error.message);
});

test('a destination in privacy mode receives no text of a prompt', async () => {
  const id = await idOf(chat({ messages: [{ role: 'user', content: 'a private question' }] }));
  const attributes = await sentTo(closed, id);
  expect(Object.keys(attributes)).not.toContain('gen_ai.input.messages');
  expect(JSON.stringify(closed.received)).not.toContain('private question');
});

test('a filter by the answer works although the answer itself is not sent', async () => {
  const say = (content: string) => idOf(chat({ messages: [{ role: 'user', content }] }));
  const plain = await say('nothing special');
  const special = await say('the magic word');
  await sentTo(filtered, special);
  await sentTo(open, plain);
  const ids = JSON.stringify(spansIn(filtered));
  expect(ids).toContain(special);
  expect(ids).not.toContain(plain);
  expect(ids).not.toContain('magic word');
});

test('a locked table of contents delays no answer, and the content arrives later', async () => {
  const client = await gateway.database.connect();
  await client.query('begin');
  await client.query('lock table broadcast_bodies in access exclusive mode');
  const ids = await Promise.all([idOf(chat({})), idOf(message({ stream: true }))]);
  await client.query('commit');
  client.release();
  for (const id of ids) {
    expect(read(await sentTo(open, id), 'gen_ai.output.messages')).toEqual(ANSWERED);
  }
});

test('content is neither announced nor stored if no destination needs it', async () => {
  const place = await addWorkspace(gateway);
  const manager = createCaller(gateway.origin, gateway.managementKey);
  const fields = { workspace_id: place.workspaceId, config: { url: closed.url }, privacy_mode: true };
  await makeDestination(manager, fields);
  const caller = createCaller(gateway.origin, (await addKey(gateway, place)).token);
  const id = await idOf(askChat(gateway, {}, caller));
  await sentTo(closed, id);
  const { rows } = await gateway.database.query<{ facts: object }>(
    'select facts from broadcast_log where generation_id = $1',
    [id],
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]!.facts).not.toHaveProperty('hasContent');
  // Content is stored in turn, so that of a later generation shows that none is on its way.
  await sentTo(open, await idOf(chat({})));
  const kept = await gateway.database.query('select from broadcast_bodies where generation_id = $1', [id]);
  expect(kept.rowCount).toBe(0);
});

test('content stored for destinations is encrypted in the database', async () => {
  await sentTo(open, await idOf(chat({})));
  const { rows } = await gateway.database.query<{ sealed: Buffer }>('select sealed from broadcast_bodies');
  expect(rows.length).toBeGreaterThan(0);
  for (const { sealed } of rows) expect(sealed.toString('latin1')).toMatch(/^v1\.test\./);
});
