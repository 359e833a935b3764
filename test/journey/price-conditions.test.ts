import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parseUsd } from '../../domain/money.ts';
import { addKey } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { addEmbeddingsModel, addImageModel, addRerankModel, addSpeechModel } from '../support/catalog.ts';
import { generationIdOf } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { getGeneration } from '../support/generation-reads.ts';

const FREE = { prompt: '0', completion: '0' };
const LATER = '2999-01-01';

let gateway: Gateway;
let caller: Caller;

beforeAll(async () => {
  gateway = await startGateway();
  caller = createCaller(gateway.origin, gateway.apiKey);
  const at = (pricing: object) => [{ provider: 'local', pricing: { ...FREE, ...pricing } }];
  await addImageModel(
    gateway,
    'dated/images',
    at({
      outputImage: '0.001',
      overrides: [
        { validFrom: '2026-01-01', outputImage: '0.003' },
        { validFrom: LATER, outputImage: '9' },
      ],
    }),
  );
  await addSpeechModel(
    gateway,
    'dated/speech',
    at({ character: '0.001', overrides: [{ outputModality: 'audio', character: '0.002' }] }),
  );
  await addRerankModel(
    gateway,
    'dated/rerank',
    at({
      searchUnit: '0.001',
      overrides: [
        { inputModality: 'text', searchUnit: '0.004' },
        { inputModality: 'image', searchUnit: '9' },
      ],
    }),
  );
  await addEmbeddingsModel(
    gateway,
    'dated/embeddings',
    at({ request: '0.001', overrides: [{ minPromptTokens: 1, request: '0.005' }] }),
  );
});

afterAll(() => gateway.close());

const REQUESTS: [string, object, number][] = [
  ['/images', { model: 'dated/images', prompt: 'A paper boat' }, 0.003],
  ['/audio/speech', { model: 'dated/speech', input: 'Hello' }, 0.01],
  ['/rerank', { model: 'dated/rerank', query: 'a', documents: ['b', 'c'] }, 0.004],
  ['/embeddings', { model: 'dated/embeddings', input: 'some words to embed' }, 0.005],
];

test.each(REQUESTS)('POST %s bills %j by the prices whose conditions hold', async (path, body, cost) => {
  const answer = await caller.call('POST', path, { body });
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
  expect(await getGeneration(caller, generationIdOf(answer))).toMatchObject({ total_cost: cost });
});

test.each(REQUESTS)('POST %s reserves %j by these prices', async (path, body, cost) => {
  const { token } = await addKey(gateway, { limitNanos: parseUsd((cost - 0.0005).toFixed(4)) });
  const error = await errorOf(await createCaller(gateway.origin, token).call('POST', path, { body }));
  expect(error).toMatchObject({ code: 402 });
});

test('POST /rerank reserves by the prices of all tokens that a picture may count', async () => {
  const pricing = {
    ...FREE,
    searchUnit: '0.001',
    overrides: [{ minPromptTokens: 1_500, searchUnit: '0.01' }],
  };
  const inputModalities = ['text', 'image'];
  await addRerankModel(gateway, 'dated/pictures', [{ provider: 'local', pricing }], { inputModalities });
  const documents = [{ image: 'data:image/png;base64,AAAA' }];
  const body = { model: 'dated/pictures', query: 'a boat', documents };
  const { token } = await addKey(gateway, { limitNanos: parseUsd('0.005') });
  const error = await errorOf(await createCaller(gateway.origin, token).call('POST', '/rerank', { body }));
  expect(error).toMatchObject({ code: 402 });
});

test('GET /images/models/{author}/{slug}/endpoints lists the conditions of prices', async () => {
  const answer = await caller.call('GET', '/images/models/dated/images/endpoints');
  const { endpoints } = (await answer.json()) as { endpoints: object[] };
  expect(endpoints).toMatchObject([
    {
      pricing: [{ billable: 'output_image', cost_usd: 0.001, unit: 'image' }],
      overrides: [
        {
          valid_from: '2026-01-01',
          pricing: [{ billable: 'output_image', cost_usd: 0.003, unit: 'image' }],
        },
        { valid_from: LATER, pricing: [{ billable: 'output_image', cost_usd: 9, unit: 'image' }] },
      ],
    },
  ]);
});

test.each([
  ['dated/speech', { character: '0.001', overrides: [{ output_modality: 'audio', character: '0.002' }] }],
  [
    'dated/rerank',
    {
      request: '0.001',
      overrides: [
        { input_modality: 'text', request: '0.004' },
        { input_modality: 'image', request: '9' },
      ],
    },
  ],
  ['dated/embeddings', { request: '0.001', overrides: [{ min_prompt_tokens: 1, request: '0.005' }] }],
])('GET /models/{author}/{slug}/endpoints lists those of %s', async (id, pricing) => {
  const answer = await caller.call('GET', `/models/${id}/endpoints`);
  const { data } = (await answer.json()) as { data: { endpoints: object[] } };
  expect(data.endpoints).toMatchObject([{ pricing }]);
});
