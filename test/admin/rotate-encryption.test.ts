import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { runRotateEncryption } from '../../admin/rotate-encryption.ts';
import { type Config, loadConfig } from '../../platform/config.ts';
import type { EncryptionConfig } from '../../platform/encryption-keys.ts';
import { runAdmin } from '../support/admin.ts';
import {
  BOTH,
  NEW_ONLY,
  OLD_ONLY,
  openSealedScene,
  type SealedScene,
} from '../services/encryption/sealed-scene.ts';

const ENV = {
  SLUICE_ENV: 'test',
  DATABASE_URL: 'postgres://unused',
  TEMPORAL_ADDRESS: '127.0.0.1:1',
  OBJECT_STORE: 'file:///unused',
  ENCRYPTION_KEYS: `unused:${randomBytes(32).toString('base64')}`,
};

describe('npm run admin -- rotate-encryption', () => {
  let scene: SealedScene;
  beforeAll(async () => {
    scene = await openSealedScene();
  });
  afterAll(() => scene.end());

  const said: string[] = [];
  const rotate = (encryption: EncryptionConfig, ...args: string[]) => {
    const database = { url: scene.url } as never;
    const objectStore = { kind: 'file', directory: scene.folder } as const;
    return runRotateEncryption({ database, objectStore, encryption }, args, (line) => said.push(line));
  };

  test('prints with --dry-run what it would re-wrap, and changes nothing', async () => {
    const { text, isDone } = await rotate(BOTH, '--dry-run');
    expect(text).toMatch(/^values +key id +before +after\n/);
    expect(text).toMatch(/\ncredentials +new +0 +1\ncredentials +old +1 +0\n/);
    expect(text).toContain(
      'Dry run: nothing was changed. 10 values would be re-wrapped under the key "new".',
    );
    expect(isDone).toBe(true);
    expect(await scene.openAll(OLD_ONLY)).toHaveLength(10);
  });

  test('names a missing key and the values that need it', async () => {
    const { text, isDone } = await rotate(NEW_ONLY);
    expect(text).toContain('0 values were re-wrapped');
    expect(text).toMatch(/The key "old" is missing: 1 credentials, 1 settings of destinations, .+ need it\./);
    expect(isDone).toBe(false);
  });

  test('prints its progress, and names the key that must stay with the reason', async () => {
    said.length = 0;
    const { text, isDone } = await rotate(BOTH);
    expect(said).toContain('credentials: 1 read');
    expect(said).toContain('logged bodies: 1 read');
    expect(text).toContain('10 values were re-wrapped under the key "new".');
    expect(text).toContain(
      'The key "old" must stay: 1 broadcast bodies (end within 72 hours) are sealed with it.',
    );
    expect(isDone).toBe(true);
  });

  test('names the key that may be removed, and what outlives the rotation', async () => {
    await scene.database.knex('broadcast_bodies').delete();
    const { text } = await rotate(BOTH);
    expect(text).toContain('The key "old" no longer seals anything. Remove it once');
    expect(text).toMatch(/signed URLs: SIGNED_URL_LIFETIME/);
    expect(text).toMatch(/providers' callbacks: .+video jobs/);
    expect(text).toMatch(/backups/);
    expect(text).not.toMatch(/must stay|missing/);
  });

  test('names values that do not open and leaves them as they are', async () => {
    const { knex } = scene.database;
    const [id] = (await knex('webhook_secrets').pluck('id')) as string[];
    await knex('webhook_secrets').update({ sealed_secret: 'garbage' });
    const { text, isDone } = await rotate(BOTH);
    expect(text).toContain(`1 webhook secrets do not open and were left as they are`);
    expect(text).toContain(`: ${id}.`);
    expect(text).toContain('(none: not a sealed value)');
    expect(isDone).toBe(false);
  });

  test('prints no secret and no sealed value', async () => {
    const { text } = await rotate(BOTH, '--dry-run');
    expect(`${text}${said.join('\n')}`).not.toMatch(/v1\.(old|new)\.|garbage|whsec_|sk-customer/);
  });

  test('exits 1 when values are left, and writes its progress to stderr', async () => {
    const config = {
      ...loadConfig(ENV),
      database: { url: scene.url } as Config['database'],
      encryption: BOTH,
    };
    const ran = await runAdmin({ config, objectsFolder: scene.folder }, ['rotate-encryption']);
    expect(ran).toMatchObject({ code: 1, stdout: expect.stringMatching(/^values +key id/) });
    expect(ran.stderr).toContain('webhook secrets: 1 read');
    await scene.database.knex('webhook_secrets').delete();
    expect(await runAdmin({ config, objectsFolder: scene.folder }, ['rotate-encryption'])).toMatchObject({
      code: 0,
    });
  });

  test.each([[['--dry']], [['everything']]])('refuses the argument %j', async (args) => {
    await expect(rotate(BOTH, ...args)).rejects.toThrow(/dry|everything/);
  });
});
