import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { errorOf } from '../support/caller.ts';
import { addSpeechModel } from '../support/catalog.ts';
import { generationIdOf, ledgerRow } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { askSpeech, spoken, type SpeechRow } from '../support/speech.ts';

const FREE = { prompt: '0', completion: '0' };

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ env: { PROVIDER_PLAIN_API_KEY: 'upstream-key' } });
});

afterAll(() => gateway.close());

const asked = () => gateway.upstream.requests('speech').at(-1)!.fields!;
const rowOf = async (response: Response) => (await ledgerRow(gateway, generationIdOf(response))) as SpeechRow;
const clip = () => ({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } });

describe('a speech model with a simple and a full endpoint', () => {
  beforeAll(async () => {
    const speech = { voices: ['alto'], formats: ['pcm'], turns: false, instructions: false, speed: null };
    await addSpeechModel(gateway, 'test/two', [
      { provider: 'plain', adapter: 'openai', speech: { ...speech, references: [] }, pricing: FREE },
      { provider: 'local' },
    ]);
  });

  test.each<[string, object]>([
    ['a speed', { speed: 1.5 }],
    ['instructions', { instructions: 'Slowly' }],
    ['turns', { input: [{ text: 'Hi' }] }],
    ['references', { input_references: [clip()] }],
    ['a format', { response_format: 'mp3' }],
    ['a voice', { voice: 'bass' }],
  ])('sends a request with %s to the endpoint that supports it', async (_what, body) => {
    const response = await askSpeech(gateway, { model: 'test/two', ...body });
    await spoken(response);
    const { provider_responses: responses } = await rowOf(response);
    expect(responses.map(({ endpoint_id: id }) => id)).toEqual(['test/two@local']);
  });

  test('falls back to the full endpoint when the simple one fails', async () => {
    gateway.upstream.addFaults({ kind: 'status', on: 'speech', status: 500 });
    const response = await askSpeech(gateway, { model: 'test/two', speed: 1 });
    await spoken(response);
    const { provider_responses: responses } = await rowOf(response);
    expect(responses.map(({ endpoint_id: id, status }) => [id, status])).toEqual([
      ['test/two@plain', 500],
      ['test/two@local', 200],
    ]);
    expect(asked()).toMatchObject({ voice: 'alto' });
    expect(asked()).not.toHaveProperty('speed');
  });

  test('falls back to another model that the caller names', async () => {
    gateway.upstream.addFaults({ kind: 'status', on: 'speech', status: 500, times: 2 });
    const response = await askSpeech(gateway, { model: 'test/two', models: ['local/speech-1'] });
    await spoken(response);
    expect(await rowOf(response)).toMatchObject({ model: 'local/speech-1' });
  });

  test.each([
    [{ audio: '0.00005' }, ['test/two@plain']],
    [{ prompt: '1' }, ['test/two@plain']],
    [{ audio: '0.0001', prompt: '2' }, ['test/two@plain', 'test/two@local']],
  ])('uses only endpoints that cost at most %j', async (maxPrice, ids) => {
    gateway.upstream.addFaults({ kind: 'status', on: 'speech', status: 500, times: 2 });
    const response = await askSpeech(gateway, { model: 'test/two', provider: { max_price: maxPrice } });
    gateway.upstream.clearFaults();
    await response.arrayBuffer();
    const { provider_responses: responses } = await rowOf(response);
    expect(responses.map(({ endpoint_id: id }) => id)).toEqual(ids);
  });

  test('answers 400 naming the unsupported field when the full endpoint is excluded', async () => {
    const body = { model: 'test/two', provider: { only: ['plain'] }, speed: 2 };
    const { code, metadata } = await errorOf(await askSpeech(gateway, body));
    expect([code, metadata.issues?.map(({ path }) => path)]).toEqual([400, ['body.speed']]);
  });
});
