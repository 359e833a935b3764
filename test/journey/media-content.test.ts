import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Caller, createCaller } from '../support/caller.ts';
import { generationIdOf } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { logged } from '../support/generation-reads.ts';
import { updateWorkspace } from '../support/workspaces.ts';

const PIXEL = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==';

let gateway: Gateway;
let caller: Caller;

beforeAll(async () => {
  gateway = await startGateway();
  caller = createCaller(gateway.origin, gateway.apiKey);
  const manager = createCaller(gateway.origin, gateway.managementKey);
  await updateWorkspace(manager, gateway.workspaceId, { is_observability_io_logging_enabled: true });
});

afterAll(() => gateway.close());

/** What the log keeps of a request that succeeds. */
async function logOf(path: string, body: object) {
  const response = await caller.call('POST', path, { body });
  await response.arrayBuffer();
  expect(response.status).toBe(200);
  return logged(caller, generationIdOf(response));
}

test('the log of a ranking has its query and texts, and no picture', async () => {
  const documents = ['plain', { text: 'both', image: PIXEL }, { image: PIXEL.replace('data', 'DATA') }];
  const { input } = await logOf('/rerank', { model: 'local/rerank-1', query: 'Which?', documents });
  expect(JSON.parse((input as { prompt: string }).prompt)).toEqual({
    query: 'Which?',
    documents: ['plain', { text: 'both', image: '[image/png removed]' }, { image: '[image/png removed]' }],
  });
});

test.each([false, true])(
  'the log of pictures has the prompt, and no picture (stream: %s)',
  async (stream) => {
    const body = { model: 'local/image-canned', prompt: 'A lighthouse', stream };
    expect(await logOf('/images', body)).toEqual({
      input: { prompt: 'A lighthouse' },
      output: { completion: null, reasoning: null },
      error: null,
    });
  },
);

test('the log of speech has the spoken texts, and no clip', async () => {
  const input_references = [{ type: 'input_audio', input_audio: { data: 'AAAA' } }];
  const body = { model: 'local/speech-1', input: [{ text: 'Hello', voice: 'alto' }], input_references };
  const { input } = await logOf('/audio/speech', body);
  expect(input).toEqual({ prompt: JSON.stringify([{ text: 'Hello', voice: 'alto' }]) });
});
