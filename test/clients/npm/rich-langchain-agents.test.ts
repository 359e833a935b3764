import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { type AIMessageChunk, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { tool as langchainTool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { ChatOpenRouter } from '@langchain/openrouter';
import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';
import { z } from 'zod';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import type { VendorServer } from '../../support/vendor-server.ts';
import { addRichModel, RICH_ENV, RICH_MODEL } from './rich-vendor.ts';

let gateway: Gateway;
let vendor: VendorServer;
beforeAll(async () => {
  gateway = await startGateway({ env: RICH_ENV });
  vendor = await addRichModel(gateway);
});
afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

const baseURL = () => `${gateway.origin}/api/v1`;
const question = 'What is the weather?';
const parameters = z.object({ city: z.string() });

const openai = (useResponsesApi: boolean) => () =>
  new ChatOpenAI({
    model: RICH_MODEL,
    apiKey: gateway.apiKey,
    configuration: { baseURL: baseURL() },
    useResponsesApi,
  });
const MODELS: [string, () => BaseChatModel][] = [
  ['@langchain/openai', openai(false)],
  ['@langchain/openai with responses', openai(true)],
  [
    '@langchain/openrouter',
    () => new ChatOpenRouter({ model: RICH_MODEL, apiKey: gateway.apiKey, baseURL: baseURL() }),
  ],
];

describe.each(MODELS)('%s', (_name, make) => {
  const weather = langchainTool(({ city }) => `rain in ${city}`, { name: 'weather', schema: parameters });

  /** Runs both tools that the message calls, and resolves with the model's last word. */
  async function goOn(model: ReturnType<NonNullable<BaseChatModel['bindTools']>>, call: BaseMessage) {
    const { tool_calls: calls = [] } = call as AIMessageChunk;
    expect(calls.map(({ args }) => args['city'])).toEqual(['Bergen', 'Oslo']);
    const results = await Promise.all(calls.map((one) => weather.invoke(one)));
    return (await model.invoke([new HumanMessage(question), call, ...results])).text;
  }

  test('runs two tools at once and answers with both results', async () => {
    const model = make().bindTools!([weather]);
    expect(await goOn(model, await model.invoke(question))).toBe('Rain.');
  });

  test('assembles two tool calls from streamed pieces', async () => {
    const model = make().bindTools!([weather]);
    const pieces = [];
    for await (const piece of await model.stream(question)) pieces.push(piece);
    const whole = pieces.reduce((sum, piece) => sum.concat(piece));
    expect(await goOn(model, whole)).toBe('Rain.');
  });

  test('reads details of usage', async () => {
    const { usage_metadata: usage } = (await make().invoke(question)) as AIMessageChunk;
    expect(usage).toMatchObject({
      input_tokens: 20,
      output_tokens: 10,
      input_token_details: { cache_read: 16 },
      output_token_details: { reasoning: 4 },
    });
  });
});

describe.each([
  ['responses', true],
  ['chat', false],
])('@openai/agents with %s', (_name, useResponses) => {
  const runner = () =>
    new Runner({
      modelProvider: new OpenAIProvider({ apiKey: gateway.apiKey, baseURL: baseURL(), useResponses }),
      tracingDisabled: true,
    });

  test.each([false, true])('runs two tools at once, streamed: %s', async (streamed) => {
    const asked: string[] = [];
    const weather = tool({
      name: 'weather',
      description: 'Tells the weather of a city.',
      parameters,
      execute: async ({ city }) => {
        asked.push(city);
        return `rain in ${city}`;
      },
    });
    const agent = new Agent({ name: 'Rich', model: RICH_MODEL, tools: [weather] });
    if (streamed) {
      const result = await runner().run(agent, question, { stream: true });
      await result.completed;
      expect(result.finalOutput).toBe('Rain.');
    } else {
      expect((await runner().run(agent, question)).finalOutput).toBe('Rain.');
    }
    expect(asked.toSorted()).toEqual(['Bergen', 'Oslo']);
  });
});
