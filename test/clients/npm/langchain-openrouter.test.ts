import { afterAll, beforeAll } from '@jest/globals';
import { ChatOpenRouter } from '@langchain/openrouter';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { EARLY_HEADERS } from './early-headers.ts';
import { testChatModel } from './langchain-suite.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ env: EARLY_HEADERS });
});
afterAll(() => gateway.close());

testChatModel(
  '@langchain/openrouter',
  () => gateway,
  (settings) =>
    new ChatOpenRouter({
      model: 'local/echo-1',
      apiKey: gateway.apiKey,
      baseURL: `${gateway.origin}/api/v1`,
      maxRetries: 0,
      ...settings,
    }),
  // It takes a schema only for models that it knows.
  { methods: ['functionCalling'], failure: 'finish reason' },
);
