import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { bootstrap } from '../../../admin/bootstrap.ts';
import { createDatabase, type Database } from '../../support/open-database.ts';
import { createLoggedBodyStore } from '../../../db/ledger/logged-body-store.ts';
import { newGenerationId, newUuid } from '../../../domain/ids.ts';
import { createEncryption } from '../../../platform/encryption.ts';
import type { EncryptionConfig } from '../../../platform/encryption-keys.ts';
import { createFileObjectStore } from '../../../platform/file-object-store.ts';
import type { ObjectStore } from '../../../platform/object-store.ts';
import type { RotateBodiesDeps } from '../../../services/encryption/rotate-logged-bodies.ts';
import { openBody, sealBody } from '../../../services/ledger/bodies/sealed-body.ts';
import { newSealedSecret } from '../../../services/webhooks/sealed-secret.ts';
import { createTestDatabase } from '../../support/database.ts';
import { insertSealedRows, openSealedRows } from './sealed-rows.ts';

const [OLD, NEW] = [randomBytes(32), randomBytes(32)];
export const OLD_ONLY = keysOf(['old', OLD]);
export const NEW_ONLY = keysOf(['new', NEW]);
/** The new key seals; the old one still opens. */
export const BOTH = keysOf(['new', NEW], ['old', OLD]);

/** A database and an object store that hold one sealed value of each kind, under the old key. */
export interface SealedScene {
  url: string;
  database: Database;
  objectStore: ObjectStore;
  folder: string;
  destinationId: string;
  bodyId: string;
  /** Creates the parts that `rotateEncryption` works with, for these keys. */
  deps(change?: Partial<RotateBodiesDeps>, config?: EncryptionConfig): RotateBodiesDeps;
  /** Opens a value of each kind with these keys. */
  openAll(config: EncryptionConfig): Promise<unknown[]>;
  /** Adds a logged body; returns its generation. */
  addBody(sealed: (generationId: string) => Promise<Buffer> | Buffer, retentionMs?: number): Promise<string>;
  /** Adds signing secrets under the old key. */
  addSecrets(count: number): Promise<void>;
  /** The text of an object. */
  objectOf(generationId: string): Promise<string>;
  end(): Promise<void>;
}

const ACME = {
  organizationName: 'Acme',
  email: 'ops@acme.example',
  creditEnforcement: false,
  entitlements: [],
};

export async function openSealedScene(): Promise<SealedScene> {
  const { url, drop } = await createTestDatabase();
  const database = createDatabase({ url, poolMax: 4 });
  const { knex } = database;
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-rotation-'));
  const objectStore = await createFileObjectStore(folder);
  const encryption = createEncryption(OLD_ONLY);
  const { organizationId, workspaceId } = await bootstrap(url, OLD_ONLY, ACME);
  const destinationId = newUuid();
  const generationId = newGenerationId(Date.now());
  const ids = { organizationId, workspaceId, destinationId, credentialId: newUuid(), generationId };
  await insertSealedRows(knex, encryption, ids);

  const { addBody, objectOf } = bodiesIn(database, objectStore, { organizationId, workspaceId });
  const logged = JSON.stringify({ input: {}, output: 'the secret output', error: null });
  const bodyId = await addBody((id) => sealBody(encryption, id, logged));

  async function addSecrets(count: number): Promise<void> {
    const secrets = Array.from({ length: count }, () => newSealedSecret(encryption));
    await knex.raw(
      `insert into webhook_secrets (id, workspace_id, sealed_secret, retires_at)
       select id, ?, sealed, now() from unnest(?::uuid[], ?::text[]) s (id, sealed)`,
      [workspaceId, secrets.map(({ id }) => id), secrets.map(({ sealedSecret }) => sealedSecret)],
    );
  }

  const fixed = { url, database, objectStore, folder, destinationId, bodyId, addBody, addSecrets, objectOf };
  return {
    ...fixed,
    deps: (change = {}, config = BOTH) => ({
      knex,
      objectStore,
      keys: rotationKeys(config),
      isDryRun: false,
      onProgress: () => {},
      ...change,
    }),
    async openAll(config) {
      const rows = await openSealedRows(knex, config, ids);
      return [...rows, await openBody(createEncryption(config), bodyId, await objectOf(bodyId))];
    },
    async end() {
      await database.close();
      await drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function bodiesIn(
  { knex }: Database,
  objectStore: ObjectStore,
  owner: { organizationId: string; workspaceId: string },
): Pick<SealedScene, 'addBody' | 'objectOf'> {
  const keyOf = (generationId: string): string => `logged/${owner.workspaceId}/2026-01-01/${generationId}`;
  return {
    async addBody(sealed, retentionMs = 86_400_000) {
      const generationId = newGenerationId(Date.now());
      const objectKey = keyOf(generationId);
      await createLoggedBodyStore(knex).insert([{ generationId, ...owner, objectKey }], retentionMs);
      const bytes = Readable.from([await sealed(generationId)]);
      await objectStore.put(objectKey, bytes, { contentType: 'application/octet-stream' });
      return generationId;
    },
    async objectOf(generationId) {
      return text((await objectStore.open(keyOf(generationId)))!.body);
    },
  };
}

function rotationKeys(config: EncryptionConfig): RotateBodiesDeps['keys'] {
  const { currentKeyId, keys } = config;
  return { encryption: createEncryption(config), currentKeyId, keyIds: new Set(keys.keys()) };
}

function keysOf(...entries: [[string, Buffer], ...[string, Buffer][]]): EncryptionConfig {
  return { currentKeyId: entries[0][0], keys: new Map(entries) };
}
