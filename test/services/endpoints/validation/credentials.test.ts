import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newUuid } from '../../../../domain/ids.ts';
import { addOrganization, addWorkspace } from '../../../support/accounts.ts';
import { sendJson } from '../../../support/model-server.ts';
import { addCredential, addDraft } from '../../../support/own-resources.ts';
import { ALL_PASSED, failsAt, startValidationScene, type ValidationScene } from './validation-scene.ts';

let scene: ValidationScene;

beforeAll(async () => {
  scene = await startValidationScene();
});

afterAll(() => scene.close());

beforeEach(async () => {
  scene.server.reset();
  await scene.gateway.database.query('delete from byok_credentials');
});

const NO_KEY = failsAt('credential_ok', { reason: 'no_byok_key' });

function sentKeys(): (string | undefined)[] {
  return scene.server.received.map(({ headers }) => headers.authorization);
}

describe('an OpenAI-compatible endpoint', () => {
  test('gets no Authorization when no credential names its origin', async () => {
    await addCredential(scene.gateway, 'sk-elsewhere', { base_url: 'https://elsewhere.example/v1' });
    expect(await scene.checkNew()).toEqual(ALL_PASSED);
    expect(sentKeys()).toEqual([undefined, undefined]);
  });

  test("gets the workspace's first enabled credential for its origin", async () => {
    const base_url = scene.server.baseUrl;
    await addCredential(scene.gateway, 'sk-second', { base_url, sort_order: 2 });
    await addCredential(scene.gateway, 'sk-first', { base_url, sort_order: 1, workspace_id: null });
    await addCredential(scene.gateway, 'sk-disabled', { base_url, disabled: true });
    await addCredential(scene.gateway, 'sk-other-model', { base_url, allowed_models: ['local/embed-1'] });
    expect(await scene.checkNew()).toEqual(ALL_PASSED);
    expect(sentKeys()).toEqual(['Bearer sk-first', 'Bearer sk-first']);
  });

  test('ignores the lists of keys and users of a credential', async () => {
    const lists = { allowed_api_key_hashes: ['0'.repeat(64)], allowed_user_ids: ['user_x'] };
    await addCredential(scene.gateway, 'sk-listed', { base_url: scene.server.baseUrl, ...lists });
    expect(await scene.checkNew()).toEqual(ALL_PASSED);
    expect(sentKeys()).toEqual(['Bearer sk-listed', 'Bearer sk-listed']);
  });

  test.each([
    ['is disabled', { disabled: true }],
    ['is for other models', { allowed_models: ['local/embed-1'] }],
  ])('fails without a call when the only credential for its origin %s', async (_, change) => {
    await addCredential(scene.gateway, 'sk-useless', { base_url: scene.server.baseUrl, ...change });
    expect(await scene.checkNew()).toEqual(NO_KEY);
    expect(scene.server.received).toEqual([]);
  });

  test('fails without a call when its credential belongs to another workspace', async () => {
    const { workspaceId } = await addWorkspace(scene.gateway);
    const change = { base_url: scene.server.baseUrl, workspace_id: workspaceId };
    await addCredential(scene.gateway, 'sk-of-another', change);
    expect(await scene.checkNew()).toEqual(NO_KEY);
    const endpoint = await addDraft(scene.gateway, { base_url: scene.server.baseUrl });
    expect(await scene.check(endpoint, { workspaceId })).toEqual(ALL_PASSED);
  });

  test('never gets a credential of another organization', async () => {
    const other = await addOrganization(scene.gateway);
    const change = {
      base_url: scene.server.baseUrl,
      organization_id: other.organizationId,
      workspace_id: other.workspaceId,
    };
    await addCredential(scene.gateway, 'sk-of-a-stranger', change);
    expect(await scene.checkNew()).toEqual(ALL_PASSED);
    expect(sentKeys()).toEqual([undefined, undefined]);
  });

  test('fails without a call when its credential does not open', async () => {
    const base_url = scene.server.baseUrl;
    const id = await addCredential(scene.gateway, 'sk-moved', { base_url });
    await scene.gateway.database.query('update byok_credentials set id = $1 where id = $2', [newUuid(), id]);
    expect(await scene.checkNew()).toEqual(failsAt('credential_ok', { reason: 'key_decryption_failed' }));
    expect(scene.server.received).toEqual([]);
  });
});

describe("a vendor's endpoint", () => {
  test.each(['openai', 'anthropic', 'openai-compatible'])(
    'fails for %s without a credential at the address of the vendor',
    async (provider_slug) => {
      await addCredential(scene.gateway, 'sk-elsewhere', {
        provider_slug,
        base_url: 'https://elsewhere.example/v1',
      });
      expect(await scene.checkNew({ provider_slug, base_url: null })).toEqual(NO_KEY);
    },
  );

  test("fails at its own address with a credential for the vendor's address", async () => {
    await addCredential(scene.gateway, 'sk-of-vendor', { provider_slug: 'openai' });
    expect(await scene.checkNew({ provider_slug: 'openai' })).toEqual(NO_KEY);
    expect(scene.server.received).toEqual([]);
  });

  test('fails with a credential of another provider for the same origin', async () => {
    await addCredential(scene.gateway, 'sk-of-another', { base_url: scene.server.baseUrl });
    expect(await scene.checkNew({ provider_slug: 'openai' })).toEqual(NO_KEY);
  });

  test('passes with its own credential, through its own adapter', async () => {
    const provider_slug = 'openai';
    await addCredential(scene.gateway, 'sk-own', { provider_slug, base_url: scene.server.baseUrl });
    expect(await scene.checkNew({ provider_slug })).toEqual(ALL_PASSED);
    expect(scene.server.received[0]!.body).toMatchObject({ max_completion_tokens: 256 });
  });

  test('gets requests in the dialect of Anthropic', async () => {
    const provider_slug = 'anthropic';
    await addCredential(scene.gateway, 'sk-own', { provider_slug, base_url: scene.server.baseUrl });
    scene.server.faults.message = (response) =>
      sendJson(response, 200, {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'acme/tuned-7b',
        content: [{ type: 'text', text: 'OK' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 5, output_tokens: 1 },
      });
    scene.server.faults.stream = (response) =>
      sendJson(response, 401, { type: 'error', error: { type: 'authentication_error', message: 'late' } });
    expect(await scene.checkNew({ provider_slug })).toEqual(
      failsAt('stream_ok', { reason: 'upstream_error', upstreamMessage: 'late', upstreamStatus: 401 }),
    );
    expect(scene.server.received.map(({ path, headers }) => [path, headers['x-api-key']])).toEqual([
      ['/v1/messages', 'sk-own'],
      ['/v1/messages', 'sk-own'],
    ]);
  });
});

describe('the error message of the upstream', () => {
  const SECRET = 'planted-credential-7719';

  async function wordsFor(message: string): Promise<string | undefined> {
    await addCredential(scene.gateway, SECRET, { base_url: scene.server.baseUrl });
    scene.server.faults.whole = (response) => sendJson(response, 400, { error: { message } });
    return (await scene.checkNew()).at(-1)!.upstreamMessage;
  }

  test('contains neither the credential nor addresses', async () => {
    const said = await wordsFor(
      `${SECRET} is wrong at http://10.1.2.3:8000/x behind 10.1.2.4:9000 (me@acme.example)`,
    );
    expect(said).toBe('[redacted] is wrong at [link] behind [address] ([address])');
  });

  test('keeps at most 1 KiB', async () => {
    const said = await wordsFor('€'.repeat(5_000));
    expect(Buffer.byteLength(said!)).toBeLessThanOrEqual(1_024);
    expect(said).toMatch(/^€+$/);
  });

  test('contains no credential in the name of the model', async () => {
    await addCredential(scene.gateway, SECRET, { base_url: scene.server.baseUrl });
    scene.server.model = `echo of ${SECRET}`;
    expect((await scene.checkNew()).at(-1)!.actualModel).toBe('echo of [redacted]');
  });
});
