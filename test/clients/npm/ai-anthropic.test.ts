import { createAnthropic } from '@ai-sdk/anthropic';
import { afterAll, beforeAll } from '@jest/globals';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { EARLY_HEADERS } from './early-headers.ts';
import { testLanguageModel } from './ai-suite.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ env: EARLY_HEADERS });
});
afterAll(() => gateway.close());

const anthropic = (apiKey = gateway.apiKey) =>
  createAnthropic({ baseURL: `${gateway.origin}/api/v1`, apiKey });

testLanguageModel(
  'ai with @ai-sdk/anthropic',
  () => gateway,
  (model, apiKey) => anthropic(apiKey)(model),
);
