import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import {
  endpointDraft,
  ENTITLED,
  getEndpoint,
  makeEndpoint,
  patchEndpoint,
  postEndpoint,
  putPricing,
} from '../support/private-endpoints.ts';

let gateway: Gateway;
let manager: Caller;

beforeAll(async () => {
  gateway = await startGateway({ bootstrap: ENTITLED });
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(() => gateway.close());

/** The status, the reason and the issues of an error. */
async function refusalOf(response: Response) {
  const { code, message, metadata } = await errorOf(response);
  const issues = metadata.issues?.map((issue) => `${issue.path} ${issue.message}`);
  return { code, message, reason: metadata.reason, issues };
}

const price = (prompt: unknown) => ({ pricing: { prompt, completion: '0' } });
const override = (...overrides: object[]) => ({ pricing: { prompt: '0', completion: '0', overrides } });

describe('POST /private-endpoints with an invalid body', () => {
  test.each<[string, object, string]>([
    ['no model', { model_permaslug: undefined }, 'model_permaslug'],
    ['no provider', { provider_slug: undefined }, 'provider_slug'],
    ['no upstream model', { upstream_model_id: undefined }, 'upstream_model_id'],
    ['an empty upstream model', { upstream_model_id: '' }, 'upstream_model_id'],
    ['an upstream model of 257 characters', { upstream_model_id: 'x'.repeat(257) }, 'upstream_model_id'],
    ['an empty address', { base_url: '' }, 'base_url'],
    ['null for the address', { base_url: null }, 'base_url'],
    ['an address that is no URL', { base_url: 'vllm.example' }, 'base_url'],
    ['an address of 2,049 characters', { base_url: `https://a.example/${'x'.repeat(2_031)}` }, 'base_url'],
    ['an unknown region', { declared_region: 'eu' }, 'declared_region'],
    ['ZDR as text', { declared_zdr: 'yes' }, 'declared_zdr'],
    [
      '51 parameters',
      { declared_parameters: Array.from({ length: 51 }, (_, n) => `p${n}`) },
      'declared_parameters',
    ],
    ['a parameter without a name', { declared_parameters: [''] }, 'declared_parameters.0'],
    ['a parameter of 65 characters', { declared_parameters: ['x'.repeat(65)] }, 'declared_parameters.0'],
    ['a price as a number', price(1), 'pricing.prompt'],
    ['a negative price', price('-1'), 'pricing.prompt'],
    ['a price with an exponent', price('1e-6'), 'pricing.prompt'],
    ['a price of 10 digits', price('1234567890'), 'pricing.prompt'],
    ['a price of 19 decimals', price('0.1234567890123456789'), 'pricing.prompt'],
    ['a price without digits before the point', price('.5'), 'pricing.prompt'],
    [
      'null for a price of the cache',
      { pricing: { prompt: '0', completion: '0', cache_read: null } },
      'pricing.cache_read',
    ],
    ['a price for prompts only', { pricing: { prompt: '0' } }, 'pricing.completion'],
    ['an empty list of overrides', override(), 'pricing.overrides'],
    [
      '25 overrides',
      override(...Array.from({ length: 25 }, () => ({ min_prompt_tokens: 1, prompt: '1' }))),
      'pricing.overrides',
    ],
    ['an override without a price', override({ min_prompt_tokens: 1 }), 'pricing.overrides.0'],
    ['an override without a condition', override({ prompt: '1', utc_moment: 'end' }), 'pricing.overrides.0'],
    ['half of a window', override({ prompt: '1', utc_start: 100 }), 'pricing.overrides.0.utc_end'],
    [
      'a window of no time',
      override({ prompt: '1', utc_start: 100, utc_end: 100 }),
      'pricing.overrides.0.utc_end',
    ],
    [
      'a window from 10:60 on',
      override({ prompt: '1', utc_start: 1060, utc_end: 1200 }),
      'pricing.overrides.0.utc_start',
    ],
    [
      'an override of the standard tier',
      override({ prompt: '1', service_tier: 'auto' }),
      'pricing.overrides.0.service_tier',
    ],
    [
      'an override of an unknown price',
      override({ prompt: '1', min_prompt_tokens: 1, smell: '1' }),
      'pricing.overrides.0',
    ],
    [
      'an override from some day on',
      override({ prompt: '1', valid_from: 'soon' }),
      'pricing.overrides.0.valid_from',
    ],
    [
      'an override for 0 tokens',
      override({ prompt: '1', min_prompt_tokens: 0 }),
      'pricing.overrides.0.min_prompt_tokens',
    ],
    ['an activation without a workspace', { activate: {} }, 'activate.workspace_id'],
    [
      'an activation in what is no workspace',
      { activate: { workspace_id: 'default' } },
      'activate.workspace_id',
    ],
  ])('answers 400 to %s, and names the field', async (_what, fields, field) => {
    const { code, issues } = await refusalOf(await postEndpoint(manager, endpointDraft(fields)));
    expect([code, issues![0]!.split(' ')[0]]).toEqual([400, `body.${field}`]);
  });

  test.each<[string, object, string, string]>([
    ['an unknown model', { model_permaslug: 'no/model' }, 'model_not_found', 'model_permaslug'],
    ['an unknown provider', { provider_slug: 'constructor' }, 'provider_not_found', 'provider_slug'],
    ['a provider of videos', { provider_slug: 'replicate' }, 'provider_not_supported', 'provider_slug'],
    ['a provider of reranking', { provider_slug: 'cohere' }, 'provider_not_supported', 'provider_slug'],
    [
      'a model for pictures',
      { model_permaslug: 'local/image-1' },
      'capability_not_supported',
      'model_permaslug',
    ],
    [
      'a model for reranking',
      { model_permaslug: 'local/rerank-1' },
      'capability_not_supported',
      'model_permaslug',
    ],
    [
      'a model for speech',
      { model_permaslug: 'local/speech-1' },
      'capability_not_supported',
      'model_permaslug',
    ],
    [
      'a model for videos',
      { model_permaslug: 'local/clip-1' },
      'capability_not_supported',
      'model_permaslug',
    ],
    ['no address', { base_url: undefined }, 'invalid_base_url', 'base_url'],
  ])('answers 422 to %s, and names reason and field', async (_what, fields, reason, field) => {
    const refusal = await refusalOf(await postEndpoint(manager, endpointDraft(fields)));
    expect(refusal).toMatchObject({ code: 422, reason });
    expect(refusal.issues![0]).toMatch(`body.${field} `);
    expect(refusal.message).toBe(`Invalid argument: ${refusal.issues![0]}`);
  });

  test('names every violation, and the first one as the reason', async () => {
    const fields = { model_permaslug: 'no/model', provider_slug: 'cohere', base_url: 'http://a.example' };
    const { reason, issues } = await refusalOf(await postEndpoint(manager, endpointDraft(fields)));
    expect(reason).toBe('model_not_found');
    expect(issues!.map((issue) => issue.split(' ')[0])).toEqual([
      'body.model_permaslug',
      'body.provider_slug',
      'body.base_url',
    ]);
  });
});

describe('an address that the guard refuses', () => {
  test.each([
    ['http://vllm.example/v1', 'add vllm.example to OUTBOUND_ALLOW, and the range of its addresses'],
    ['https://10.9.8.7:8000/v1', 'add 10.9.8.7/32 to OUTBOUND_ALLOW'],
    ['https://[fd12::1]/v1', 'add fd12::1/128 to OUTBOUND_ALLOW'],
    ['https://3232235777/', 'add 192.168.1.1/32 to OUTBOUND_ALLOW'],
  ])('%s gets 422 with the OUTBOUND_ALLOW entry that would open it', async (url, advice) => {
    const { id } = await makeEndpoint(manager);
    const upstream = { base_url: url, upstream_model_id: 'x' };
    for (const answer of [
      await postEndpoint(manager, endpointDraft(upstream)),
      await patchEndpoint(manager, id, upstream),
    ]) {
      const refusal = await refusalOf(answer);
      expect(refusal).toMatchObject({ code: 422, reason: 'invalid_base_url' });
      expect(refusal.message).toMatch(/^Invalid argument/);
      expect(refusal.issues).toEqual([expect.stringMatching(/^body\.base_url The URL /)]);
      expect(refusal.issues![0]).toContain(advice);
    }
    expect(await getEndpoint(manager, id)).toMatchObject({ base_url: 'https://vllm.example/v1' });
  });

  test.each([
    'https://169.254.169.254/v1',
    'https://metadata.google.internal',
    'https://user:pass@vllm.example',
  ])('%s gets 422 without advice, because no setting opens it', async (url) => {
    const { reason, issues } = await refusalOf(await postEndpoint(manager, endpointDraft({ base_url: url })));
    expect(reason).toBe('invalid_base_url');
    expect(issues![0]).not.toContain('OUTBOUND_ALLOW');
  });
});

test.each(['https://vllm.example/v1?tenant=a', 'https://vllm.example/v1#top', 'https://vllm.example/v1?'])(
  'the address %s gets 422 for its query or fragment',
  async (url) => {
    const { id } = await makeEndpoint(manager);
    const upstream = { base_url: url, upstream_model_id: 'x' };
    for (const answer of [
      await postEndpoint(manager, endpointDraft(upstream)),
      await patchEndpoint(manager, id, upstream),
    ]) {
      const { code, reason, issues } = await refusalOf(answer);
      expect([code, reason]).toEqual([422, 'invalid_base_url']);
      expect(issues).toEqual(['body.base_url must name an address without a query and without a fragment']);
    }
  },
);

describe('an invalid change of a private endpoint', () => {
  test.each<[object, string]>([
    [{}, 'upstream_model_id'],
    [{ upstream_model_id: '' }, 'upstream_model_id'],
    [{ upstream_model_id: 'x', base_url: null }, 'base_url'],
    [{ upstream_model_id: 'x', base_url: '' }, 'base_url'],
    [{ upstream_model_id: 'x', declared_region: 'mars' }, 'declared_region'],
  ])('gets 400 that names the field: %j', async (body, field) => {
    const { id } = await makeEndpoint(manager);
    const { code, issues } = await refusalOf(await patchEndpoint(manager, id, body));
    expect([code, issues![0]!.split(' ')[0]]).toEqual([400, `body.${field}`]);
  });

  test.each([{}, { prompt: '1' }, { prompt: '1', completion: 1 }, { prompt: '1', completion: '1e3' }])(
    'gets 400 with the prices %j, and the old prices stay',
    async (pricing) => {
      const { id, pricing: before } = await makeEndpoint(manager);
      expect((await refusalOf(await putPricing(manager, id, pricing))).code).toBe(400);
      expect((await getEndpoint(manager, id)).pricing).toEqual(before);
    },
  );

  test('gets 400 with draft_only=1', async () => {
    const { id } = await makeEndpoint(manager);
    const answer = await manager.call('DELETE', `/private-endpoints/${id}?draft_only=1`);
    expect((await refusalOf(answer)).code).toBe(400);
  });
});
