import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { startApi } from '../../api/start-api.ts';
import { createLogger } from '../../platform/logger.ts';
import { runRotateEncryption } from '../../admin/rotate-encryption.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import type { Gateway } from '../support/gateway.ts';
import {
  namesOf,
  OWN_HOSTS,
  pageOf,
  putSecret,
  type VaultIntern,
  type VaultScene,
  useVaultScene,
} from '../support/vault-scene.ts';
import { storedValue } from '../support/vaults.ts';

let gateway: Gateway;
let scene: VaultScene;
let intern: VaultIntern;
/** Calls an API beside the gateway's, whose master key is a new one. */
let renewed: Caller;
let onlyNew: Caller;
const logged: string[] = [];
const ends: (() => Promise<void>)[] = [];
const newKey = randomBytes(32);

afterAll(async () => {
  for (const end of ends) await end();
});

const bothKeys = () => ({
  currentKeyId: 'new',
  keys: new Map([['new', newKey], ...gateway.config.encryption.keys]),
});

async function startWith(encryption: ReturnType<typeof bothKeys>, token: string): Promise<Caller> {
  const destination = { write: (line: string) => void logged.push(line) };
  const logger = createLogger({ level: 'info', name: 'test', destination });
  const api = await startApi({ ...gateway.config, encryption }, logger);
  ends.push(async () => {
    for (const { run } of api.shutdownSteps) await run();
  });
  return createCaller(`http://127.0.0.1:${api.port}`, token);
}

useVaultScene(async (...opened) => {
  logged.length = 0;
  [gateway, scene] = opened;
  intern = await scene.intern();
  renewed = await startWith(bothKeys(), scene.key.token);
  onlyNew = await startWith({ currentKeyId: 'new', keys: new Map([['new', newKey]]) }, scene.key.token);
});

const warned = (): unknown[] =>
  logged
    .map((line) => JSON.parse(line) as { msg: string; keyId?: string })
    .filter(({ msg }) => msg.includes('cannot be opened'))
    .map(({ keyId }) => keyId);

describe('the rotation of the master key', () => {
  test('keeps fingerprints and values, with both keys and with the new one alone', async () => {
    const before = await putSecret(scene.regular, intern.folder, 'a', { value: 'kept-value' });
    const { database, objectStore } = gateway.config;
    const rotation = { database, objectStore, encryption: bothKeys() };
    const { isDone } = await runRotateEncryption(rotation, [], () => {});
    expect(isDone).toBe(true);
    expect((await pageOf(onlyNew, `${intern.folder}/secrets`)).data).toEqual([before]);
    const again = await putSecret(onlyNew, intern.folder, 'b', { value: 'kept-value' });
    expect(again.fingerprint).toBe(before.fingerprint);
    const config = { encryption: bothKeys() };
    expect(await storedValue({ ...gateway, config }, intern.vaultId, 'a')).toBe('kept-value');
  });
});

describe('a value whose master key is missing', () => {
  test('appears in lists, and its copy answers 503 and logs the missing key', async () => {
    await putSecret(scene.regular, '/vault', 'sealed', { value: 'unreadable-value' });
    const borrower = await scene.intern(intern);
    expect(await namesOf(onlyNew, '/vault/secrets')).toEqual(['sealed']);
    expect(await namesOf(onlyNew, `${borrower.folder}/effective-secrets`)).toEqual(['sealed']);
    const body = { names: ['sealed'] };
    const { code, metadata } = await errorOf(
      await onlyNew.call('POST', `${intern.folder}/secrets/copy`, { body }),
    );
    expect([code, metadata.retryable]).toEqual([503, true]);
    expect(warned()).toEqual(['test']);
    expect(logged.join('\n')).not.toContain('unreadable-value');
    expect(await namesOf(scene.regular, `${intern.folder}/secrets`)).toEqual([]);
    expect((await onlyNew.call('DELETE', '/vault/secrets/sealed')).status).toBe(204);
  });

  test("makes PUT answer 503 when the vault's key is affected, until the master key returns", async () => {
    const put = (caller: Caller) =>
      caller.call('PUT', `${intern.folder}/secrets/a`, { body: { value: 'x', hosts: OWN_HOSTS } });
    expect((await put(onlyNew)).status).toBe(503);
    expect(warned()).toEqual(['test']);
    expect((await put(renewed)).status).toBe(200);
  });
});
