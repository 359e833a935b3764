import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createLogger } from '../../platform/logger.ts';
import { startApi } from '../../api/start-api.ts';
import { runAdmin } from '../support/admin.ts';
import {
  addIntern,
  addPersonalKey,
  askProof,
  proofFor,
  publishedKeys,
  startDaemonGateway,
  SUBJECT,
  verifyAsSidecar,
  type WireProof,
} from '../support/daemon.ts';
import { eventually } from '../support/eventually.ts';
import type { Gateway } from '../support/gateway.ts';
import { type Replica, startReplica } from '../support/replica.ts';
import { verifyInvocation } from '../../examples/verify-invocation/verify-invocation.ts';

/** Shorter than the time after which processes look for changes of which they heard nothing. */
const HEARD_MS = 10_000;

let gateway: Gateway;
let replica: Replica;
let internId: string;
let token: string;

beforeAll(async () => {
  gateway = await startDaemonGateway();
  replica = await startReplica(gateway);
  internId = await addIntern(gateway);
  ({ token } = await addPersonalKey(gateway));
});
afterAll(async () => {
  await replica.close();
  await gateway.close();
});

async function kidsOf(where: Pick<Gateway, 'origin'> = gateway): Promise<string[]> {
  return (await publishedKeys(where)).map(({ kid }) => kid);
}

/** Returns the id of the published key that signed the proof. */
async function signerOf(headers: WireProof): Promise<string | undefined> {
  const body = Buffer.from('{"message":"Good morning"}');
  const keys = await publishedKeys(gateway);
  return keys.find((key) => 'user' in verifyInvocation({ headers, body, internId, keys: [key] }))?.kid;
}

/** Returns which keys a process publishes that starts now, and which one signs. It has read nothing before. */
async function stateOfNewProcess(): Promise<{ published: string[]; signer: string | undefined }> {
  const started = await startReplica(gateway);
  try {
    const proof = await proofFor(started, token, internId);
    return { published: await kidsOf(started), signer: await signerOf(proof) };
  } finally {
    await started.close();
  }
}

async function rotate(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runAdmin(gateway, ['daemon-keys', 'rotate', ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/** Lets the time of every key come so much sooner. */
function hurry(interval: string): Promise<unknown> {
  return gateway.database.query('update daemon_signing_keys set signs_from = signs_from - $1::interval', [
    interval,
  ]);
}

test('concurrent processes create one first key, and it is stored encrypted', async () => {
  const processes = [gateway, replica, gateway, replica];
  const proofs = await Promise.all(processes.map((one) => proofFor(one, token, internId)));
  const { rows } = await gateway.database.query<{ kid: string; sealed_private_key: string }>(
    'select kid, sealed_private_key from daemon_signing_keys',
  );
  expect(rows).toEqual([
    { kid: expect.any(String), sealed_private_key: expect.stringMatching(/^v1\.test\./) },
  ]);
  for (const one of processes) expect(await kidsOf(one)).toEqual([rows[0]!.kid]);
  for (const proof of proofs) expect(await signerOf(proof)).toBe(rows[0]!.kid);
});

test('a new key is published at once, signs after ten minutes, and replaces its predecessor', async () => {
  const [first] = await kidsOf();
  const before = await proofFor(gateway, token, internId);
  const text = await rotate();
  const [, second] = await eventually(
    'both keys',
    async () => {
      const kids = await kidsOf(replica);
      return kids.length === 2 ? kids : undefined;
    },
    HEARD_MS,
  );
  expect(text).toMatch(new RegExp(`^${first}  signs\n${second}  published, signs from \\d{4}-.*Z\n$`));
  expect(await signerOf(await proofFor(replica, token, internId))).toBe(first);

  // Verifiers may have read the keys 300 seconds ago.
  await hurry('300 seconds');
  expect(await stateOfNewProcess()).toEqual({ published: [first, second], signer: first });

  await hurry('300 seconds');
  const after = await eventually(
    'a proof by the new key',
    async () => {
      const proof = await proofFor(gateway, token, internId);
      return (await signerOf(proof)) === second ? proof : undefined;
    },
    HEARD_MS,
  );
  for (const proof of [before, after]) {
    expect(await verifyAsSidecar(gateway, proof, internId)).toMatchObject({ user: SUBJECT });
  }
  const { stdout } = await runAdmin(gateway, ['daemon-keys', 'list']);
  expect(stdout).toMatch(
    new RegExp(`^${first}  no longer signs, published until \\d{4}-.*Z\n${second}  signs\n$`),
  );

  await hurry('23 hours');
  expect(await stateOfNewProcess()).toEqual({ published: [first, second], signer: second });

  await hurry('1 hour');
  await eventually('the end of the old key', async () =>
    (await kidsOf()).join() === second ? true : undefined,
  );
  expect(await verifyAsSidecar(gateway, before, internId)).toEqual({ reason: 'forged' });
  expect(await verifyAsSidecar(gateway, after, internId)).toMatchObject({ user: SUBJECT });
});

test('a leaked key is withdrawn at once, and another one signs', async () => {
  const leaked = await kidsOf();
  const proof = await proofFor(gateway, token, internId);
  expect(await rotate('--leaked')).toMatch(/  withdrawn at /);
  const kids = await eventually(
    'the end of the leaked key',
    async () => {
      const now = await kidsOf();
      return now.some((kid) => leaked.includes(kid)) ? undefined : now;
    },
    HEARD_MS,
  );
  expect(kids).toHaveLength(1);
  expect(await verifyAsSidecar(gateway, proof, internId)).toEqual({ reason: 'forged' });
  expect(await signerOf(await proofFor(gateway, token, internId))).toBe(kids[0]);
});

test('a rotation deletes expired keys and leaves an audit entry', async () => {
  await rotate();
  const { rows } = await gateway.database.query<{ kid: string }>(
    'select kid from daemon_signing_keys order by signs_from',
  );
  expect(rows.map(({ kid }) => kid)).toEqual(await kidsOf());
  const { rows: audited } = await gateway.database.query<{ target: string; key_hash: string | null }>(
    `select target, key_hash from audit_log where action = 'rotateDaemonKeys' order by created_at desc limit 1`,
  );
  expect(audited).toEqual([{ target: `daemon-keys/${rows[1]!.kid}`, key_hash: null }]);
});

test('keys under a missing master key are published without signing, and the log names it', async () => {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line));
  const encryption = { currentKeyId: 'other', keys: new Map([['other', randomBytes(32)]]) };
  const logger = createLogger({ level: 'warn', name: 'test', destination: { write } });
  const api = await startApi({ ...gateway.config, encryption }, logger);
  try {
    const without = { origin: `http://127.0.0.1:${api.port}` };
    expect(await kidsOf(without)).toEqual(await kidsOf());
    const response = await askProof(without, token, internId);
    expect([response.status, await response.json()]).toEqual([
      500,
      {
        error: {
          code: 500,
          message: 'The request could not be completed',
          metadata: { reason: 'internal_error', retryable: true },
        },
      },
    ]);
    expect(JSON.stringify(lines)).toContain('No encryption key with id test is configured');
  } finally {
    for (const { run } of api.shutdownSteps) await run();
  }
});

test.each([[[]], [['remove']], [['list', 'all']], [['rotate', '--all']]])(
  'daemon-keys %j exits with 2 and explains the fault',
  async (args) => {
    const { code, stderr } = await runAdmin(gateway, ['daemon-keys', ...args]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/one of list, rotate|'all'|--all/);
  },
);

test.each(['', 'alice smith', 'älice', 'a'.repeat(256)])(
  'keys create refuses the subject %j',
  async (subject) => {
    const { code, stderr } = await runAdmin(gateway, [
      'keys',
      'create',
      '--name',
      'A key',
      '--subject',
      subject,
    ]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: '--subject must be 1 to 255 visible ASCII characters, without spaces\n',
    });
  },
);
