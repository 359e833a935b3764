import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type Caller, createCaller } from '../../support/caller.ts';
import { billChat, bringKey, createActivated, type Creation } from '../../support/endpoint-to-bill.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../../support/gateway.ts';
import { ENTITLED } from '../../support/private-endpoints.ts';

const { LITELLM_TEST_ORIGIN: origin = '', LITELLM_TEST_KEY: key = '' } = process.env;
const WRONG_KEY = 'sk-wrong-0123456789abcdef';
const QUESTION = 'What stands on the cliff?';

let gateway: Gateway;
let manager: Caller;
let credentialId = '';

beforeAll(async () => {
  gateway = await startGateway({ worker: ALL_QUEUES, bootstrap: ENTITLED });
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(() => gateway.close());

afterEach(() => manager.call('DELETE', `/byok/${credentialId}`));

const openAi = (apiKey: string) => ({
  credential: { provider: 'openai-compatible', key: apiKey, base_url: `${origin}/v1` },
  endpoint: { provider_slug: 'openai-compatible', base_url: `${origin}/v1` },
});

const azure = (apiKey: string) => ({
  credential: {
    provider: 'azure',
    key: JSON.stringify({ api_key: apiKey, endpoint_url: origin, api_version: '2024-10-21' }),
  },
  endpoint: { provider_slug: 'azure', base_url: undefined },
});

async function create({ credential, endpoint }: ReturnType<typeof openAi | typeof azure>) {
  credentialId = await bringKey(manager, credential);
  return createActivated(gateway, manager, { upstream_model_id: 'our-gpt', ...endpoint });
}

const outcomesOf = ({ data }: Creation) =>
  data.validation.checks.map(({ name, passed }) => `${name} ${passed ? 'passed' : 'failed'}`);

describe.each([
  ['by the wire of OpenAI', openAi],
  ['by the dated wire of Azure', azure],
])("a private endpoint on LiteLLM's proxy, %s", (_wire, bring) => {
  test('passes the checks, serves a chat and is billed at its own price', async () => {
    const { status, answer } = await create(bring(key));
    expect({ status, answer }).toMatchObject({ status: 201, answer: { data: { status: 'active' } } });
    await billChat(gateway, answer.data.id, QUESTION);
  });

  test('stays a draft with a wrong key, which the proxy refuses with a 400', async () => {
    const { status, answer } = await create(bring(WRONG_KEY));
    expect(status).toBe(422);
    expect(outcomesOf(answer)).toEqual([
      'base_url_allowed passed',
      'credential_ok passed',
      'model_answers failed',
    ]);
    expect(answer).toMatchObject({
      error: { metadata: { reason: 'upstream_error' } },
      data: { endpoint: { status: 'draft' }, validation: { checks: [{}, {}, { upstream_status: 400 }] } },
    });
    expect(JSON.stringify(answer)).not.toContain(WRONG_KEY);
  });
});
