import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { logsBody } from '../../domain/ledger/logged-body.ts';
import { addKey, addOrganization, addWorkspace } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { askChat, completed, generationIdOf, readEvents } from '../support/chat.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { getContent, logged } from '../support/generation-reads.ts';
import { publishedClient } from '../support/published-client.ts';
import { updateWorkspace } from '../support/workspaces.ts';

const PIXEL = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==';
const HELLO = [{ role: 'user', content: 'Hello there' }];

let gateway: Gateway;
let owner: Caller;
let manager: Caller;

beforeAll(async () => {
  gateway = await startGateway({ worker: ['maintenance'], times: { expireIntervalMs: 1_000 } });
  owner = createCaller(gateway.origin, gateway.apiKey);
  manager = createCaller(gateway.origin, gateway.managementKey);
  await switchOn(gateway, {});
});

afterAll(() => gateway.close());

/**
 * Logs everything in a workspace, or as the changes say. Before its first request: a change of settings that are in
 * use holds a moment later.
 */
async function switchOn({ workspaceId }: { workspaceId: string }, changes: object): Promise<void> {
  await updateWorkspace(manager, workspaceId, { is_observability_io_logging_enabled: true, ...changes });
}

/** A key of a workspace of its own, where logging is as the changes say. */
async function customer(changes: object): Promise<Caller> {
  const place = await addWorkspace(gateway);
  await switchOn(place, changes);
  return createCaller(gateway.origin, (await addKey(gateway, place)).token);
}

async function objectKeyOf(id: string): Promise<string | undefined> {
  const { rows } = await gateway.database.query<{ object_key: string }>(
    'select object_key from logged_bodies where generation_id = $1',
    [id],
  );
  return rows[0]?.object_key;
}

/** Whether a generation's body is logged, known for sure: bodies are noted in turn, and one that follows it is. */
async function isLogged(id: string): Promise<boolean> {
  await logged(owner, (await completed(await askChat(gateway, {}))).id);
  return (await objectKeyOf(id)) !== undefined;
}

describe('a logged generation', () => {
  test('contains request and response, for the published client as well', async () => {
    const { id } = await completed(await askChat(gateway, {}));
    const expected = {
      input: { messages: HELLO },
      output: { completion: 'You said: Hello there', reasoning: null },
      error: null,
    };
    expect(await logged(owner, id)).toEqual(expected);
    const client = publishedClient(gateway, gateway.apiKey);
    expect((await client.generations.listGenerationContent({ id })).data).toEqual(expected);
  });

  test('contains the same when it was streamed', async () => {
    const [chunk] = await readEvents(await askChat(gateway, { stream: true }));
    expect(await logged(owner, chunk!.id)).toMatchObject({
      input: { messages: HELLO },
      output: { completion: 'You said: Hello there' },
    });
  });

  test('contains the text of an embedding, without a completion', async () => {
    const response = await owner.call('POST', '/embeddings', {
      body: { model: 'local/embed-1', input: 'Hello' },
    });
    expect(await logged(owner, generationIdOf(response))).toEqual({
      input: { prompt: 'Hello' },
      output: { completion: null, reasoning: null },
      error: null,
    });
  });

  test("contains the error that the caller received, in the published client's shape", async () => {
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 503 });
    const response = await askChat(gateway, {});
    const told = await errorOf(response);
    const id = generationIdOf(response);
    expect((await logged(owner, id)).error).toEqual({
      message: told.message,
      status: told.code,
      provider_name: 'Local upstream',
      previous_errors: [],
      raw: null,
    });
    const client = publishedClient(gateway, gateway.apiKey);
    expect((await client.generations.listGenerationContent({ id })).data.error).toMatchObject({
      status: 529,
    });
  });

  test("contains the text sent before a stream's failure", async () => {
    gateway.upstream.addFaults({ kind: 'cut-stream', events: 3 });
    const [chunk] = await readEvents(await askChat(gateway, { stream: true }));
    expect(await logged(owner, chunk!.id)).toMatchObject({
      output: { completion: expect.stringMatching(/^You/) },
      error: { status: 502 },
    });
  });

  test('contains no media', async () => {
    const content = [
      { type: 'text', text: `See ![](${PIXEL})` },
      { type: 'image_url', image_url: { url: PIXEL } },
      { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
    ];
    const { id } = await completed(await askChat(gateway, { messages: [{ role: 'user', content }] }));
    const body = await logged(owner, id);
    expect(body.input).toEqual({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See ![]([image/png removed])' },
            { type: 'image_url', image_url: { url: '[image/png removed]' } },
            { type: 'input_audio', input_audio: { data: '[removed]', format: 'wav' } },
          ],
        },
      ],
    });
    expect(JSON.stringify(body)).not.toContain('iVBOR');
  });

  test('answers 200 to its workspace and organization, and 404 to all others', async () => {
    const { id } = await completed(await askChat(gateway, {}));
    await logged(owner, id);
    expect((await getContent(manager, id)).status).toBe(200);
    const foreign = await addOrganization(gateway);
    for (const facts of [await addWorkspace(gateway), foreign, { ...foreign, kind: 'management' as const }]) {
      const { token } = await addKey(gateway, facts);
      expect((await getContent(createCaller(gateway.origin, token), id)).status).toBe(404);
    }
  });
});

describe('the log of generations', () => {
  test('omits a generation if logging is switched off in its workspace', async () => {
    const caller = await customer({ is_observability_io_logging_enabled: false });
    const { id } = await completed(await askChat(gateway, {}, caller));
    expect(await isLogged(id)).toBe(false);
    expect((await getContent(caller, id)).status).toBe(404);
  });

  test('contains generations of the listed keys only', async () => {
    const place = await addWorkspace(gateway);
    const [listed, other] = [await addKey(gateway, place), await addKey(gateway, place)];
    await switchOn(place, { io_logging_api_key_ids: [listed.keyId] });
    const [first, second] = [listed, other].map(({ token }) => createCaller(gateway.origin, token));
    const seen = await completed(await askChat(gateway, {}, first));
    const unseen = await completed(await askChat(gateway, {}, second));
    await logged(first!, seen.id);
    expect(await isLogged(unseen.id)).toBe(false);
  });

  test('omits a generation that is not sampled', async () => {
    const caller = await customer({ io_logging_sampling_rate: 0.0001 });
    const { id } = await completed(await askChat(gateway, {}, caller));
    expect(await isLogged(id)).toBe(logsBody(RATE_OF_ONE_IN_TEN_THOUSAND, 0, id));
  });
});

const RATE_OF_ONE_IN_TEN_THOUSAND = {
  isObservabilityIoLoggingEnabled: true,
  ioLoggingApiKeyIds: null,
  ioLoggingSamplingRate: 0.0001,
};

test('an expired logged body loses its object and its row, and others remain', async () => {
  const [old, young] = [
    await completed(await askChat(gateway, {})),
    await completed(await askChat(gateway, {})),
  ];
  await logged(owner, old.id);
  await logged(owner, young.id);
  const { rows } = await gateway.database.query<{ days: number }>(
    `select extract(epoch from expires_at - created_at)::float8 / 86400 days from logged_bodies
     where generation_id = $1`,
    [old.id],
  );
  expect(rows[0]?.days).toBeCloseTo(30, 3);
  const file = path.join(gateway.objectsFolder, (await objectKeyOf(old.id))!);
  await gateway.database.query('update logged_bodies set expires_at = now() where generation_id = $1', [
    old.id,
  ]);
  expect((await getContent(owner, old.id)).status).toBe(404);
  await eventually('the removal', async () => ((await objectKeyOf(old.id)) === undefined ? true : undefined));
  // Exclusively: it fails if the object is still there.
  await writeFile(file, '', { flag: 'wx' }).catch((error: NodeJS.ErrnoException) =>
    expect(error.code).toBe('ENOENT'),
  );
  expect((await getContent(owner, young.id)).status).toBe(200);
});
