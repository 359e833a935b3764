import { describe, expect, test } from '@jest/globals';
import packageJson from '../../package.json' with { type: 'json' };
import { API_FLAGS, readSettings, WORKER_FLAGS } from '../../dev/settings.ts';
import { stackEnvironment } from '../../dev/stack/stack-environment.ts';
import { loadConfig } from '../../platform/config.ts';

const DATABASE_URL = 'postgres://sluice:secret@127.0.0.1:5433/sluice';

describe('the settings of the laptop stack', () => {
  test('default to the documented ports', () => {
    expect(readSettings({}).ports).toEqual({
      api: 8080,
      temporal: 7233,
      temporalUi: 8233,
      postgres: 5433,
      upstream: 8090,
    });
  });

  test('look for model servers of this machine until LOCAL_MODELS is off', () => {
    expect(readSettings({}).modelPorts).toEqual({ ollama: 11_434, lmStudio: 1234 });
    expect(readSettings({ LOCAL_MODELS: 'off' }).modelPorts).toBeUndefined();
    expect(() => readSettings({ LOCAL_MODELS: 'no' })).toThrow('LOCAL_MODELS must be on or off, not "no"');
  });

  test('name every variable that is not a port', () => {
    const read = () => readSettings({ PORT: 'abc', POSTGRES_PORT: '70000', UPSTREAM_PORT: '8091' });
    expect(read).toThrow(/PORT must be a port.*"abc"\nPOSTGRES_PORT must be a port.*"70000"$/);
  });
});

test('the stack runs API and worker with the same flags as npm run', () => {
  const { api, worker } = packageJson.scripts;
  const start = 'node dev/require-node.cjs && exec node';
  expect(api).toBe(`${start} ${API_FLAGS.join(' ')} api/main.ts`);
  expect(worker).toBe(`${start} ${WORKER_FLAGS.join(' ')} worker/main.ts`);
});

describe("the environment of the stack's processes", () => {
  test('forms a valid configuration by default', () => {
    const config = loadConfig(stackEnvironment(readSettings({}), DATABASE_URL, {}));
    expect(config.environment).toBe('development');
    expect(config.http).toMatchObject({ host: '127.0.0.1', port: 8080, publicUrl: 'http://127.0.0.1:8080' });
    expect(config.temporal).toMatchObject({ address: '127.0.0.1:7233', uiUrl: 'http://127.0.0.1:8233' });
    expect(config.outbound.allow).toEqual(['127.0.0.0/8']);
    expect(config.providers('local')).toMatchObject({ baseUrl: 'http://127.0.0.1:8090/v1' });
  });

  test("keeps a person's variables, except those that the stack decides", () => {
    const own = {
      LOG_LEVEL: 'debug',
      OUTBOUND_ALLOW: '10.0.0.0/8',
      HOST: '0.0.0.0',
      SLUICE_ENV: 'production',
    };
    const config = loadConfig(stackEnvironment(readSettings(own), DATABASE_URL, own));
    expect(config.logLevel).toBe('debug');
    expect(config.outbound.allow).toEqual(['10.0.0.0/8']);
    expect(config.http.host).toBe('127.0.0.1');
    expect(config.environment).toBe('development');
  });

  test('contains a given TEMPORAL_ADDRESS and PUBLIC_URL', () => {
    const own = { TEMPORAL_ADDRESS: 'temporal.example.com:7233', PUBLIC_URL: 'https://sluice.example.com/' };
    const config = loadConfig(stackEnvironment(readSettings(own), DATABASE_URL, own));
    expect(config.temporal).toMatchObject({ address: 'temporal.example.com:7233', uiUrl: undefined });
    expect(config.http.publicUrl).toBe('https://sluice.example.com');
  });
});
