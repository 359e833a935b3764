/** Connects the adapter of Bedrock to a stand-in of AWS that lives as long as the test file. */
import { afterAll, beforeAll } from '@jest/globals';
import type { ChatChunk, ChatCompletion } from '../../providers/chat-adapter.ts';
import type { LiveCallContext } from '../../providers/call-context.ts';
import { createProviderDispatcher } from '../../providers/provider-connection.ts';
import type { Provider } from '../../providers/provider.ts';
import { createProviders } from '../../providers/registry.ts';
import {
  AWS_KEYS,
  type BedrockCloud,
  type BedrockEvents,
  startBedrockCloud,
} from '../support/bedrock-cloud.ts';
import { freeAnswer } from '../support/free-answer.ts';
import { chunksOf } from './text-adapter-under-test.ts';

const CLAUDE = 'us.anthropic.claude-sonnet-4-6';
const PATIENT = { firstByteMs: 60_000, idleMs: 60_000, attemptMs: 60_000 };

/** A stream that says one word. */
export const HELLO: BedrockEvents = [
  ['messageStart', { role: 'assistant' }],
  ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hello' } }],
  ['contentBlockStop', { contentBlockIndex: 0 }],
  ['messageStop', { stopReason: 'end_turn' }],
  ['metadata', { usage: { inputTokens: 3, outputTokens: 1, totalTokens: 4 } }],
];

export interface BedrockUnderTest {
  readonly cloud: BedrockCloud;
  provider(apiKey?: string, baseUrl?: string): Provider;
  newContext(timeouts?: Partial<LiveCallContext['timeouts']>): LiveCallContext;
  complete(more?: object): Promise<ChatCompletion>;
  stream(more?: object): Promise<ChatChunk[]>;
  /** The body of the last request that the cloud accepted. */
  sent(): Record<string, unknown>;
}

/** Returns a chat request to Claude, with more fields. */
export const newRequest = (more: object = {}) => ({
  model: CLAUDE,
  messages: [{ role: 'user', content: 'Hi' }],
  ...more,
});

export function setUpBedrock(): BedrockUnderTest {
  const dispatcher = createProviderDispatcher();
  const outbound = { fetch: () => Promise.reject(new Error('nothing is fetched here')) };
  let cloud: BedrockCloud;

  beforeAll(async () => {
    cloud = await startBedrockCloud();
  });
  afterAll(async () => {
    await dispatcher.destroy();
    await cloud.close();
  });

  return {
    get cloud() {
      return cloud;
    },
    provider(apiKey = JSON.stringify(AWS_KEYS), baseUrl = cloud.origin) {
      const rows = [{ slug: 'aws', adapter: 'bedrock', baseUrl }];
      return createProviders({ rows, credentials: () => ({ apiKey }), outbound, dispatcher }).get('aws')!;
    },
    newContext: (timeouts = {}) => ({
      signal: new AbortController().signal,
      requestId: 'req_test',
      timeouts: { ...PATIENT, ...timeouts },
      answer: freeAnswer(),
      droppedFields: [],
    }),
    complete(more) {
      return this.provider().chat!.complete(newRequest(more), this.newContext());
    },
    async stream(more) {
      return chunksOf(await this.provider().chat!.stream(newRequest(more), this.newContext()));
    },
    sent: () => cloud.calls.at(-1)!.body,
  };
}
