import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ChatOpenAI, DallEAPIWrapper, OpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { EARLY_HEADERS } from './early-headers.ts';
import { type ChatSettings, testChatModel } from './langchain-suite.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ env: EARLY_HEADERS });
});
afterAll(() => gateway.close());

const make = (useResponsesApi: boolean) => (settings?: ChatSettings) =>
  new ChatOpenAI({
    model: 'local/echo-1',
    apiKey: gateway.apiKey,
    configuration: { baseURL: `${gateway.origin}/api/v1` },
    useResponsesApi,
    maxRetries: 0,
    ...settings,
  });

testChatModel('@langchain/openai', () => gateway, make(false));
testChatModel('@langchain/openai with responses', () => gateway, make(true), { failure: 'nowhere' });

describe('@langchain/openai', () => {
  const common = () => ({ apiKey: gateway.apiKey, maxRetries: 0 });
  const baseURL = () => `${gateway.origin}/api/v1`;

  test('embeds texts', async () => {
    const model = new OpenAIEmbeddings({
      ...common(),
      model: 'local/embed-1',
      configuration: { baseURL: baseURL() },
    });
    const vectors = await model.embedDocuments(['a river', 'a lake']);
    expect(vectors.map(({ length }) => length > 0)).toEqual([true, true]);
  });

  test('makes an image', async () => {
    const tool = new DallEAPIWrapper({
      ...common(),
      model: 'local/image-1',
      baseUrl: baseURL(),
      dallEResponseFormat: 'b64_json',
    });
    expect(JSON.stringify(await tool.invoke('A lighthouse'))).toContain('iVBOR');
  });

  test('completes a text, whole and streamed', async () => {
    const model = new OpenAI({ ...common(), model: 'local/echo-1', configuration: { baseURL: baseURL() } });
    expect(await model.invoke('Hello there')).toContain('Hello there');
    let text = '';
    for await (const piece of await model.stream('Hello there')) text += piece;
    expect(text).toContain('Hello there');
  });
});
