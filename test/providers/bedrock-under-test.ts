/** Connects the adapter of Bedrock to a stand-in of AWS that lives as long as the test file. */
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { AWS_KEYS, type BedrockCloud, sayHello, startBedrockCloud } from '../support/bedrock-cloud.ts';
import { newContext, setUpAdapters } from './connected-adapters.ts';
import { chunksOf } from './text-adapter-under-test.ts';

const KEYS = JSON.stringify(AWS_KEYS);

/** Returns a chat request to Claude, with more fields. */
export const newRequest = (more: object = {}) => ({
  model: 'us.anthropic.claude-sonnet-4-6',
  messages: [{ role: 'user', content: 'Hi' }],
  ...more,
});

/** Starts the stand-in. It greets, unless a test makes it answer something else. */
export function setUpBedrock() {
  const connect = setUpAdapters('bedrock');
  let cloud: BedrockCloud;

  beforeAll(async () => {
    cloud = await startBedrockCloud();
  });
  beforeEach(() => {
    cloud.answer = sayHello;
    cloud.calls.length = 0;
  });
  afterAll(() => cloud.close());

  const provider = (apiKey = KEYS) => connect({ baseUrl: cloud.origin, apiKey });
  return {
    get cloud() {
      return cloud;
    },
    provider,
    complete: (more: object = {}, apiKey = KEYS) =>
      provider(apiKey).chat.complete(newRequest(more), newContext()),
    stream: async (more: object = {}, apiKey = KEYS) =>
      chunksOf(await provider(apiKey).chat.stream(newRequest(more), newContext())),
    /** Returns the body of the last request that the cloud accepted. */
    sent: () => cloud.calls.at(-1)!.body,
  };
}
