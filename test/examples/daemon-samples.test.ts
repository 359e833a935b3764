import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { findFreePorts } from '../../dev/ports.ts';
import {
  addIntern,
  addPersonalKey,
  BODY,
  proofFor,
  startDaemonGateway,
  SUBJECT,
  type WireProof,
} from '../support/daemon.ts';
import { eventually } from '../support/eventually.ts';
import type { Gateway } from '../support/gateway.ts';
import { hasPython } from '../support/run-verifiers.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

interface Sample {
  /** The language of its block in docs/daemon.md. */
  language: string;
  command: string[];
  file: string;
  verifier: string;
}

const SAMPLES: Sample[] = [
  {
    language: 'ts',
    command: [process.execPath, '--no-warnings'],
    file: 'daemon.ts',
    verifier: 'verify-invocation.ts',
  },
  // `npm test` needs nothing but Node.
  ...(hasPython()
    ? [{ language: 'python', command: ['python3'], file: 'daemon.py', verifier: 'verify_invocation.py' }]
    : []),
];

let gateway: Gateway;
let internId: string;
let token: string;
/** Stands before the gateway and counts the reads of the published keys. */
let front: Server;
let reads: number;
let isAway: boolean;
let folder: string;
let daemon: ChildProcess | undefined;

beforeAll(async () => {
  gateway = await startDaemonGateway();
  internId = await addIntern(gateway);
  ({ token } = await addPersonalKey(gateway));
  front = createServer(async (request, response) => {
    reads += 1;
    const answer = await fetch(new URL(request.url ?? '', gateway.origin));
    response.writeHead(isAway ? 500 : answer.status).end(await answer.text());
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  folder = await mkdtemp(path.join(tmpdir(), 'sluice-daemon-'));
});
afterEach(async () => {
  if (daemon === undefined || daemon.exitCode !== null) return;
  daemon.kill();
  await once(daemon, 'close');
});
afterAll(async () => {
  front.close();
  await gateway.close();
  await rm(folder, { recursive: true, force: true });
});

/** Returns whether a process listens; undefined if not. */
function accepts(port: number): Promise<true | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(undefined));
    socket.once('connect', () => socket.end());
  });
}

/** Starts the sample of the page as a reader would, and returns a function that sends it a request with a proof. */
async function start({ language, command: [program = '', ...args], file, verifier }: Sample) {
  const page = readFileSync(path.join(ROOT, 'docs', 'daemon.md'), 'utf8');
  const [, code = ''] = new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, 'm').exec(page) ?? [];
  const [port = 0] = await findFreePorts(1);
  expect(code).toContain('8080');
  await writeFile(path.join(folder, file), code.replace('8080', String(port)));
  await copyFile(path.join(ROOT, 'examples', 'verify-invocation', verifier), path.join(folder, verifier));
  const { port: frontPort } = front.address() as AddressInfo;
  daemon = spawn(program, [...args, file], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      SLUICE_URL: `http://127.0.0.1:${frontPort}`,
      INTERN_ID: internId,
    },
    stdio: 'ignore',
  });
  const ask = async (proof: WireProof, body = BODY): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { ...proof, connection: 'close' },
      body,
    });
    return [response.status, await response.text()];
  };
  await eventually('the daemon', () => accepts(port));
  return ask;
}

describe.each(SAMPLES)('the sample of docs/daemon.md in $language', (sample) => {
  test('verifies proofs with the published keys, which it reads once', async () => {
    [reads, isAway] = [0, false];
    const ask = await start(sample);
    const proof = await proofFor(gateway, token, internId);
    expect(await ask(proof, `${BODY} `)).toEqual([401, 'forged']);
    expect(await ask(proof)).toEqual([200, `Hello, ${SUBJECT}`]);
    expect(await ask(proof)).toEqual([401, 'replayed']);
    expect(await ask({} as WireProof)).toEqual([401, 'malformed']);
    expect(reads).toBe(1);
  });

  test('accepts no request until it can read the published keys', async () => {
    [reads, isAway] = [0, true];
    const ask = await start(sample);
    const proof = await proofFor(gateway, token, internId);
    // The sample in Python closes the connection.
    expect(await ask(proof).catch(() => [503, ''])).toEqual([503, '']);
    isAway = false;
    expect(await ask(proof)).toEqual([200, `Hello, ${SUBJECT}`]);
    expect(reads).toBe(2);
  });
});
