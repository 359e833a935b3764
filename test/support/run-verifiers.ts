import { spawn, spawnSync } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import {
  type SeenInvocations,
  verifyInvocation,
} from '../../examples/verify-invocation/verify-invocation.ts';
import type { RunVerifier } from './invocations.ts';

const DRIVER = fileURLToPath(new URL('run-verifier.py', import.meta.url));

/** Runs the verifier in TypeScript. */
export const runTypeScript: RunVerifier = async (calls) => {
  const memory: SeenInvocations = new Map();
  const verdicts = calls.map(({ body, remembers, ...call }) =>
    verifyInvocation({
      ...call,
      body: Buffer.from(body, 'base64'),
      ...(remembers === true ? { seen: memory } : {}),
    }),
  );
  const remembered = [...memory.values()].reduce((sum, { size }) => sum + size, 0);
  return { verdicts, remembered };
};

/** Runs the verifier in Python with this interpreter. */
export function runPython(python: string): RunVerifier {
  return async (calls) => {
    const child = spawn(python, [DRIVER], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end(JSON.stringify(calls, (_name, value: unknown) => (Number.isNaN(value) ? 'NaN' : value)));
    return JSON.parse(await text(child.stdout)) as Awaited<ReturnType<RunVerifier>>;
  };
}

/** Returns whether the computer has the Python that the verifier needs. */
export function hasPython(): boolean {
  const check = 'import sys; sys.exit(sys.version_info < (3, 9))';
  return spawnSync('python3', ['-c', check]).status === 0;
}
