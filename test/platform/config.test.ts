import { availableParallelism } from 'node:os';
import { describe, expect, test } from '@jest/globals';
import { loadConfigParts } from '../../platform/config-parts.ts';
import { loadConfig, loadLocalUpstreamConfig } from '../../platform/config.ts';
import { warningsOfProxies } from '../../platform/address-lists.ts';
import { KEY, problemWith, PRODUCTION } from './config-setup.ts';

describe('defaults of the configuration', () => {
  test('fill every optional variable in production', () => {
    const config = loadConfig(PRODUCTION);
    expect(config).toMatchObject({
      environment: 'production',
      logLevel: 'info',
      http: {
        host: '0.0.0.0',
        port: 8080,
        publicUrl: 'https://sluice.example.com',
        shutdownGraceMs: 30_000,
        creditsUrl: 'https://sluice.example.com/docs/credits',
        maxGenerationBodyBytes: 32 * 1024 * 1024,
        maxBodyBytes: 1024 * 1024,
        corsOrigins: [],
      },
      database: {
        url: PRODUCTION.DATABASE_URL,
        listenUrl: PRODUCTION.DATABASE_URL,
        readUrl: PRODUCTION.DATABASE_URL,
      },
      temporal: { address: 'temporal:7233', namespace: 'default', tls: false },
      worker: {
        queues: ['video', 'webhooks', 'broadcast', 'provider-io', 'directory', 'maintenance'],
        deploymentName: 'sluice',
        shutdownGraceMs: 60_000,
      },
      objectStore: {
        kind: 's3',
        bucket: 'media',
        prefix: 'production',
        region: 'us-east-1',
        forcePathStyle: false,
      },
      outbound: { allow: [] },
      jobs: {
        outputRetentionMs: 7 * 86_400_000,
        signedUrlMs: 3_600_000,
        pendingDeadlineMs: 86_400_000,
        pollFloorMs: 2_000,
        pollCeilingMs: 30_000,
        checkTimeoutMs: 30_000,
        storeTimeoutMs: 900_000,
        maxOutputBytes: 2 * 1024 ** 3,
      },
      webhooks: {
        timeoutMs: 15_000,
        scheduleSeconds: [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400],
      },
      warnings: [],
    });
    expect(config.encryption).toEqual({
      currentKeyId: '2026a',
      keys: new Map([['2026a', Buffer.from(KEY, 'base64')]]),
    });
  });

  test('build the public URL from the port outside production', () => {
    const { PUBLIC_URL: _unset, ...env } = PRODUCTION;
    expect(loadConfig({ ...env, SLUICE_ENV: 'development', PORT: '9999' }).http.publicUrl).toBe(
      'http://localhost:9999',
    );
  });
});

describe('loadConfig', () => {
  test('parses URLs, lists, durations and sizes', () => {
    const config = loadConfig({
      ...PRODUCTION,
      PUBLIC_URL: ' https://sluice.example.com/gateway// ',
      OBJECT_STORE: 'file:///var/lib/sluice%20media',
      OUTBOUND_ALLOW: '127.0.0.0/8, fd12::/16, Hooks.Example.com., müller.example, my_service',
      WORKER_QUEUES: 'webhooks,video',
      WEBHOOK_SCHEDULE_SECONDS: '0,1,2',
      JOB_POLL_FLOOR: '1s',
      MAX_OUTPUT_SIZE: '512MiB',
      DATABASE_LISTEN_URL: 'postgresql://direct/sluice',
    });
    expect(config.http.publicUrl).toBe('https://sluice.example.com/gateway');
    expect(config.objectStore).toEqual({ kind: 'file', directory: '/var/lib/sluice media' });
    expect(config.outbound.allow).toEqual([
      '127.0.0.0/8',
      'fd12::/16',
      'hooks.example.com',
      'xn--mller-kva.example',
      'my_service',
    ]);
    expect(config.worker.queues).toEqual(['webhooks', 'video']);
    expect(config.webhooks.scheduleSeconds).toEqual([0, 1, 2]);
    expect(config.jobs).toMatchObject({ pollFloorMs: 1_000, maxOutputBytes: 512 * 1024 ** 2 });
    expect(config.database.listenUrl).toBe('postgresql://direct/sluice');
  });

  test('accepts pages, extensions and apps as CORS origins', () => {
    const pages = ['https://app.example.com', 'http://[::1]:5173'];
    const apps = ['chrome-extension://abcdefghijklmnop', 'capacitor://localhost', 'app://obsidian.md'];
    const listed = [...pages, ...apps, 'tauri://localhost:1430'];
    const { http } = loadConfig({ ...PRODUCTION, CORS_ORIGINS: listed.join(', ') });
    expect(http.corsOrigins).toEqual(listed);
  });

  test('turns addresses of trusted proxies into ranges', () => {
    const { http } = loadConfig({
      ...PRODUCTION,
      TRUSTED_PROXIES: '10.1.2.3, 10.0.0.0/8, 2001:db8::7,::ffff:10.1.2.4',
    });
    expect(http.trustedProxies).toEqual(['10.1.2.3/32', '10.0.0.0/8', '2001:db8::7/128', '10.1.2.4/32']);
  });

  test('warns about an API behind a proxy that is not listed', () => {
    const warnings = (env: object) => warningsOfProxies(loadConfig({ ...PRODUCTION, ...env }));
    expect(warnings({})).toEqual([
      'TRUSTED_PROXIES is not set: all callers behind the proxy that ends TLS count as one address',
    ]);
    expect(warnings({ TRUSTED_PROXIES: '10.0.0.0/8' })).toEqual([]);
    expect(warnings({ PUBLIC_URL: 'http://sluice.example.com' })).toEqual([]);
    expect(warnings({ SLUICE_ENV: 'test' })).toEqual([]);
  });

  test('reads PUBLIC_ALIASES as further origins of the gateway', () => {
    const aliases = ['https://llm.example.com', 'http://sluice-api:8080'];
    const { http } = loadConfig({ ...PRODUCTION, PUBLIC_ALIASES: aliases.join(', ') });
    expect(http.publicAliases).toEqual(aliases);
  });

  test('takes API_PROCESSES as one, a number, or one per processor', () => {
    const processes = (env: object) => loadConfig({ ...PRODUCTION, ...env }).http.processes;
    expect(processes({})).toBe(1);
    expect(processes({ API_PROCESSES: '3' })).toBe(3);
    const auto = (poolMax: string) => processes({ API_PROCESSES: 'auto', DATABASE_POOL_MAX: poolMax });
    expect(auto('500')).toBe(Math.min(availableParallelism(), 250));
    expect([auto('3'), auto('1')]).toEqual([1, 1]);
    const { warnings } = loadConfig({ ...PRODUCTION, API_PROCESSES: 'auto', DATABASE_POOL_MAX: '3' });
    expect(warnings.filter((warning) => warning.startsWith('API_PROCESSES=auto'))).toHaveLength(
      availableParallelism() > 1 ? 1 : 0,
    );
  });

  test('treats empty values as not set', () => {
    expect(loadConfig({ ...PRODUCTION, PORT: '', LOG_LEVEL: '  ' }).http.port).toBe(8080);
    expect(problemWith({ DATABASE_URL: '' })).toBe('DATABASE_URL is not set');
  });

  test.each([
    ['s3://media', { bucket: 'media', prefix: '' }],
    ['s3://media/', { bucket: 'media', prefix: '' }],
    ['s3://media/a/b/', { bucket: 'media', prefix: 'a/b' }],
  ])('reads bucket and prefix from %s', (text, expected) => {
    expect(loadConfig({ ...PRODUCTION, OBJECT_STORE: text }).objectStore).toMatchObject(expected);
  });

  test('switches TLS to Temporal on when an API key or server name needs it', () => {
    const { temporal } = loadConfig({
      ...PRODUCTION,
      TEMPORAL_API_KEY: 'k',
      TEMPORAL_TLS_SERVER_NAME: 't.example',
    });
    expect(temporal).toMatchObject({ apiKey: 'k', tls: { serverNameOverride: 't.example' } });
    expect(loadConfig({ ...PRODUCTION, TEMPORAL_TLS: 'true' }).temporal.tls).not.toBe(false);
  });
});

describe('providers in the environment', () => {
  const { providers, warnings } = loadConfig({
    ...PRODUCTION,
    PROVIDER_OPENAI_API_KEY: 'sk-1',
    PROVIDER_OPENAI_COMPATIBLE_API_KEY: 'sk-2',
    PROVIDER_OPENAI_COMPATIBLE_BASE_URL: 'http://10.0.0.1:8000/v1/',
    PROVIDER_REPLICATE_TOKEN: 'r8-typo',
    PROVIDER_SIGNING_WEBHOOK_SECRET: 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz',
    PROVIDER_EMPTY_API_KEY: '',
  });

  test('get key, base URL and webhook secret by their slug', () => {
    expect(providers('openai')).toEqual({ apiKey: 'sk-1' });
    expect(providers('openai-compatible')).toEqual({ apiKey: 'sk-2', baseUrl: 'http://10.0.0.1:8000/v1' });
    expect(providers('signing')).toEqual({ webhookSecret: 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz' });
    expect(providers('empty')).toEqual({});
    expect(providers('unheard-of')).toEqual({});
  });

  test.each(['sk-…', 'sk 1', 'clé'])('cannot have the key "%s", which no header can carry', (key) => {
    expect(() => loadConfig({ ...PRODUCTION, PROVIDER_OPENAI_API_KEY: key })).toThrow(
      /PROVIDER_OPENAI_API_KEY must be ASCII without spaces/,
    );
  });

  test('cause a warning for a misspelled variable', () => {
    expect(warnings).toEqual(['PROVIDER_REPLICATE_TOKEN is not a variable that Sluice reads']);
  });
});

test('migrations need only the database variables', () => {
  expect(loadConfigParts({ DATABASE_URL: 'postgres://db/sluice' }, 'database', 'logLevel')).toEqual({
    database: {
      url: 'postgres://db/sluice',
      listenUrl: 'postgres://db/sluice',
      readUrl: 'postgres://db/sluice',
      poolMax: 10,
      statementTimeoutMs: 10_000,
    },
    logLevel: 'info',
  });
  expect(() => loadConfigParts({}, 'database')).toThrow('DATABASE_URL is not set');
});

test('a part of the configuration is checked alone', () => {
  const read = (env: NodeJS.ProcessEnv) => () => loadConfigParts(env, 'publicUrl');
  expect(read({ SLUICE_ENV: 'test' })()).toEqual({ publicUrl: 'http://localhost:8080' });
  expect(read({})).toThrow(/^The configuration is not valid:\n {2}PUBLIC_URL is not set, and [^\n]+$/);
});

test('the local upstream starts without any variable', () => {
  expect(loadLocalUpstreamConfig({})).toEqual({ host: '127.0.0.1', port: 8090, logLevel: 'info' });
  expect(loadLocalUpstreamConfig({ UPSTREAM_HOST: '0.0.0.0' })).toMatchObject({ host: '0.0.0.0' });
  expect(() => loadLocalUpstreamConfig({ UPSTREAM_PORT: 'x' })).toThrow('UPSTREAM_PORT is "x"');
});
