import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { invocationText } from '../../../domain/interns/invocation.ts';
import { runAdmin } from '../../support/admin.ts';
import {
  addIntern,
  addPersonalKey,
  BODY,
  proofFor,
  publishedKeys,
  sha256Of,
  startDaemonGateway,
} from '../../support/daemon.ts';
import { eventually } from '../../support/eventually.ts';
import type { Gateway } from '../../support/gateway.ts';
import { runPython } from '../../support/run-verifiers.ts';
import { testVerifier } from '../../support/verifier-promises.ts';

const PYTHON = path.join(process.env['CRYPTOGRAPHY_TEST_VENV'] ?? '', 'bin', 'python');
const SCRIPT = fileURLToPath(new URL('verify-with-cryptography.py', import.meta.url));

/** `npm test` runs the same tests, but only where there is a Python. */
describe('verify_invocation.py', () => {
  testVerifier(runPython(PYTHON));
});

describe('the Python package cryptography', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startDaemonGateway();
  });
  afterAll(() => gateway.close());

  async function verdictsOn(asked: object): Promise<boolean[]> {
    const child = spawn(PYTHON, [SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end(JSON.stringify(asked));
    return JSON.parse(await text(child.stdout)) as boolean[];
  }

  test('verifies a signature for its own text only, before and after a rotation', async () => {
    const internId = await addIntern(gateway);
    const { token } = await addPersonalKey(gateway);
    const proof = await proofFor(gateway, token, internId);
    const right = {
      internId,
      timestamp: Number(proof['x-svc-invoke-timestamp']),
      user: proof['x-svc-invoke-user'],
      bodySha256: sha256Of(BODY),
    };
    const others = [
      { internId: crypto.randomUUID() },
      { timestamp: right.timestamp + 1 },
      { user: `${right.user}x` },
      { bodySha256: sha256Of(`${BODY}\n`) },
    ];
    const texts = [right, ...others.map((changes) => ({ ...right, ...changes }))].map(invocationText);
    const signature = proof['x-svc-invoke-signature'];
    const expected = [true, ...others.map(() => false)];
    expect(await verdictsOn({ keys: await publishedKeys(gateway), signature, texts })).toEqual(expected);

    expect((await runAdmin(gateway, ['daemon-keys', 'rotate'])).code).toBe(0);
    const keys = await eventually('both keys', async () => {
      const published = await publishedKeys(gateway);
      return published.length === 2 ? published : undefined;
    });
    expect(await verdictsOn({ keys, signature, texts })).toEqual(expected);
    expect(await verdictsOn({ keys: keys.slice(1), signature, texts })).toEqual(texts.map(() => false));
  });
});
