import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { ProviderRow } from '../../../db/catalog/catalog-store.ts';
import { byokSecretContext } from '../../../domain/endpoints/byok-credential.ts';
import type { OwnConnection, OwnCredential } from '../../../domain/endpoints/own-access.ts';
import type { ProviderError } from '../../../domain/provider-error.ts';
import { createEncryption } from '../../../platform/encryption.ts';
import { createLogger } from '../../../platform/logger.ts';
import { createOutboundGuard, type OutboundGuardOptions } from '../../../platform/outbound-guard.ts';
import { createOwnProviders, type OwnProviders } from '../../../services/endpoints/own-providers.ts';
import { type LoopbackServer, startLoopbackServer } from '../../platform/loopback-server.ts';
import { resolverOf } from '../../platform/outbound-setup.ts';
import { failureOf } from '../../providers/text-adapter-under-test.ts';
import { freeAnswer } from '../../support/free-answer.ts';

const SECRET = 'planted-secret-5310';
const OLD = randomBytes(32);
const NEW = randomBytes(32);
const current = createEncryption({ currentKeyId: 'new', keys: new Map([['new', NEW]]) });
const both = createEncryption({
  currentKeyId: 'new',
  keys: new Map([
    ['new', NEW],
    ['old', OLD],
  ]),
});
const former = createEncryption({ currentKeyId: 'old', keys: new Map([['old', OLD]]) });

const row: ProviderRow = {
  slug: 'openai-compatible',
  name: 'Own',
  adapter: 'openai-compatible',
  baseUrl: null,
} as ProviderRow;

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function create(guarded: Partial<OutboundGuardOptions> = {}) {
  const logged: string[] = [];
  const guard = createOutboundGuard({ allow: ['127.0.0.0/8'], ...guarded });
  let rows = [row];
  const providers: OwnProviders = createOwnProviders({
    catalog: { providers: () => rows },
    credentials: () => ({}),
    encryption: current,
    guard,
    logger: createLogger({
      level: 'trace',
      name: 'test',
      destination: { write: (line) => void logged.push(line) },
    }),
  });
  cleanups.push(guard.close, providers.close);
  const readCatalogAgain = (): void => {
    rows = [row];
  };
  return { providers, logged, readCatalogAgain };
}

async function serve(): Promise<LoopbackServer & { requests: () => number }> {
  let requests = 0;
  const server = await startLoopbackServer((_, response) => {
    requests += 1;
    response.writeHead(500, { connection: 'close' }).end();
  });
  cleanups.push(server.close);
  return { ...server, requests: () => requests };
}

function credentialFor(baseUrl: string, sealed?: string): OwnCredential {
  const id = randomUUID();
  return {
    id,
    sealed: sealed ?? current.seal(SECRET, byokSecretContext(id)),
    secretVersion: randomUUID(),
    origin: new URL(baseUrl).origin,
  };
}

/** Sends one chat to the upstream; returns how it failed. */
function chat(providers: OwnProviders, connection: OwnConnection): Promise<ProviderError> {
  const own = providers.of(connection);
  if (!('provider' in own)) throw new Error(own.failure);
  const timeouts = { firstByteMs: 60_000, idleMs: 60_000, attemptMs: 60_000 };
  const context = { signal: new AbortController().signal, requestId: 'r', timeouts, answer: freeAnswer() };
  const request = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
  return failureOf(own.provider.chat!.complete(request, context));
}

describe('an upstream of a customer', () => {
  test('gets no request once its name resolves to a private address', async () => {
    const server = await serve();
    const { providers } = create({
      allow: ['127.0.0.1/32', 'own.example'],
      resolve: resolverOf(['127.0.0.1'], ['10.11.12.13'], ['127.0.0.1', '169.254.169.254'], []),
    });
    const baseUrl = `http://own.example:${server.port}/v1`;
    const connection = { providerSlug: row.slug, baseUrl, credential: credentialFor(baseUrl) };
    expect(await chat(providers, connection)).toMatchObject({ code: 'server_error' });
    for (let n = 0; n < 3; n += 1) {
      const error = await chat(providers, connection);
      expect(error).toMatchObject({ code: 'not_connected', sent: false });
      expect(error.publicMessage).toBe('The provider could not be reached');
      expect(`${error.message} ${String(error.cause)}`).not.toMatch(/\d+\.\d+\.\d+\.\d+/);
    }
    expect(server.requests()).toBe(1);
  });

  test('gets the secret only at the origin of its credential', async () => {
    const server = await serve();
    const { providers } = create();
    const credential = credentialFor('https://elsewhere.example');
    const connection = { providerSlug: row.slug, baseUrl: server.origin, credential };
    expect(providers.of(connection)).toEqual({ failure: 'no_byok_key' });
  });
});

describe('a secret that does not open', () => {
  const fails = { failure: 'key_decryption_failed' };
  const connect = (credential: OwnCredential, path = 'v1'): OwnConnection => ({
    providerSlug: row.slug,
    baseUrl: `https://own.example/${path}`,
    credential,
  });

  test('gets one log line with its master key id, across endpoints and catalogs', () => {
    const { providers, logged, readCatalogAgain } = create();
    const sealed = former.seal(SECRET, byokSecretContext('elsewhere'));
    const credential = credentialFor('https://own.example', sealed);
    for (const path of ['v1', 'v2', 'v1']) expect(providers.of(connect(credential, path))).toEqual(fails);
    readCatalogAgain();
    expect(providers.of(connect(credential))).toEqual(fails);
    expect(logged).toHaveLength(1);
    expect(JSON.parse(logged[0]!)).toMatchObject({ credentialId: credential.id, keyId: 'old' });
    expect(logged[0]).not.toContain(sealed.split('.').at(-1));
  });

  test('gets a log line with its master key id when that key is configured', () => {
    const { providers, logged } = create();
    const sealed = current.seal(SECRET, byokSecretContext('elsewhere'));
    expect(providers.of(connect(credentialFor('https://own.example', sealed)))).toEqual(fails);
    expect(JSON.parse(logged[0]!)).toMatchObject({ keyId: 'new' });
  });

  test('stays out of its own log line when it is stored unsealed', () => {
    const { providers, logged } = create();
    expect(providers.of(connect(credentialFor('https://own.example', SECRET)))).toEqual(fails);
    expect(JSON.parse(logged[0]!)).toMatchObject({ keyId: null });
    expect(logged[0]).not.toContain(SECRET);
  });

  test('gets a second log line when it is replaced by another bad one', () => {
    const { providers, logged } = create();
    const credential = credentialFor('https://own.example', 'garbage');
    providers.of(connect(credential));
    providers.of(connect({ ...credential, secretVersion: randomUUID() }));
    expect(logged).toHaveLength(2);
  });

  test('works as soon as it is sealed under a configured master key', () => {
    const { providers } = create();
    const credential = credentialFor('https://own.example');
    const sealed = former.seal(SECRET, byokSecretContext(credential.id));
    expect(providers.of(connect({ ...credential, sealed }))).toEqual(fails);
    const rewrapped = both.rewrap(sealed, byokSecretContext(credential.id));
    expect(providers.of(connect({ ...credential, sealed: rewrapped }))).toHaveProperty('provider');
  });
});
