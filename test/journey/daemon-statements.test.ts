import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createLiveInterns, type LiveInterns } from '../../api/interns/live-interns.ts';
import { createApiKeyStore } from '../../db/accounts/api-key-store.ts';
import { createDatabase, type Database } from '../support/open-database.ts';
import { createEncryption } from '../../platform/encryption.ts';
import { createLogger } from '../../platform/logger.ts';
import { createKeyVerifier, type KeyVerifier } from '../../services/accounts/identity/key-verifier.ts';
import { createDaemonService, type DaemonService } from '../../services/interns/daemon/daemon-service.ts';
import { addIntern, addPersonalKey, BODY, sha256Of, startDaemonGateway, SUBJECT } from '../support/daemon.ts';
import type { Gateway } from '../support/gateway.ts';
import { unknownKeysOver } from '../support/unknown-keys.ts';
import { reporting } from '../support/handles.ts';

let gateway: Gateway;
let database: Database;
let statements: string[];
let keys: KeyVerifier;
let interns: LiveInterns;
let daemon: DaemonService;

beforeAll(async () => {
  gateway = await startDaemonGateway();
  database = createDatabase(gateway.config.database);
  const knex = reporting(database.knex, (text) => statements.push(text));
  const notices = { isConnected: () => true, heardUntilMs: () => Date.now() };
  const store = createApiKeyStore(knex);
  keys = createKeyVerifier({ store, unknownStore: store, unknownKeys: unknownKeysOver(knex), notices });
  interns = createLiveInterns({
    knex,
    detector: { run: (question) => question() },
    notices,
    publicUrl: gateway.origin,
    encryption: createEncryption(gateway.config.encryption),
    logger: createLogger({ level: 'fatal', name: 'test' }),
  });
  const rate = { take: () => undefined };
  daemon = createDaemonService({ interns: interns.memory, keys: interns.daemonKeys, rate });
});
afterAll(async () => {
  await database.close();
  await gateway.close();
});

/** Takes what a request for a proof takes, from the key to the signature. Returns who is named. */
async function sign(token: string, internId: string): Promise<string> {
  const principal = await keys.verify(token, () => '203.0.113.1');
  if (principal === null) throw new Error('the key is unknown');
  await interns.gate.admit(principal.organizationId, 'gateway.example');
  return (await daemon.sign(principal, internId, sha256Of(BODY))).user;
}

test('a thousand proofs after the first one send no statement to the database', async () => {
  const { token } = await addPersonalKey(gateway);
  const internId = await addIntern(gateway);
  statements = [];
  await sign(token, internId);
  expect(statements.length).toBeGreaterThan(0);
  statements = [];
  for (let n = 0; n < 1_000; n += 1) expect(await sign(token, internId)).toBe(SUBJECT);
  expect(statements).toEqual([]);
});
