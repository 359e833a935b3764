import { afterEach, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const CHILD = fileURLToPath(new URL('./shutdown-child.ts', import.meta.url));
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Later than what counts as one wish. */
const A_SECOND_WISH_MS = 1_200;

type Reaction = (child: ChildProcess) => void;

/** Starts a child with the steps, reacts to its lines, and answers with the lines and how it ended. */
async function run(deadlineMs: number, steps: string[], reactions: Record<string, Reaction>) {
  const child = spawn(process.execPath, [CHILD, String(deadlineMs), ...steps], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {},
  });
  children.push(child);
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line.startsWith('{') ? (JSON.parse(line) as { msg: string }).msg : line);
    reactions[line]?.(child);
  }
  return { lines, ...(await ended) };
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  'shutdown runs the steps in order on %s and exits 0',
  async (signal) => {
    const outcome = await run(10_000, ['succeed', 'succeed'], { ready: (child) => child.kill(signal) });
    expect(outcome.lines).toEqual([
      'ready',
      'start 0-succeed',
      'done 0-succeed',
      'start 1-succeed',
      'done 1-succeed',
    ]);
    expect(outcome).toMatchObject({ code: 0, signal: null });
  },
);

test('shutdown runs the later steps when one fails, and exits 1', async () => {
  const outcome = await run(10_000, ['fail', 'succeed'], { ready: (child) => child.kill('SIGTERM') });
  expect(outcome.lines).toEqual([
    'ready',
    'start 0-fail',
    'shutdown step failed',
    'start 1-succeed',
    'done 1-succeed',
  ]);
  expect(outcome.code).toBe(1);
});

test('shutdown exits 1 when the steps outlast the deadline', async () => {
  const outcome = await run(100, ['hang', 'succeed'], { ready: (child) => child.kill('SIGTERM') });
  expect(outcome.lines).toEqual(['ready', 'start 0-hang', 'shutdown did not finish in time']);
  expect(outcome.code).toBe(1);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('shutdown exits at once on a second signal, %s, with code %i', async (signal, code) => {
  const outcome = await run(60_000, ['hang'], {
    ready: (child) => child.kill('SIGTERM'),
    'start 0-hang': (child) => void setTimeout(() => child.kill(signal), A_SECOND_WISH_MS),
  });
  expect(outcome.lines).toEqual(['ready', 'start 0-hang', 'second signal, exiting at once']);
  expect(outcome.code).toBe(code);
});

test('shutdown takes a signal repeated at once, as by npm, as one', async () => {
  const outcome = await run(60_000, ['succeed'], {
    ready: (child) => {
      child.kill('SIGINT');
      child.kill('SIGINT');
    },
  });
  expect(outcome.lines).toEqual(['ready', 'start 0-succeed', 'done 0-succeed']);
  expect(outcome.code).toBe(0);
});

test('shutdown by the process itself runs all steps despite a later signal', async () => {
  const outcome = await run(60_000, ['wait', 'succeed'], {
    ready: (child) => child.kill('SIGUSR2'),
    'start 0-wait': (child) => child.kill('SIGTERM'),
  });
  expect(outcome.lines).toEqual([
    'ready',
    'start 0-wait',
    'done 0-wait',
    'start 1-succeed',
    'done 1-succeed',
  ]);
  expect(outcome.code).toBe(0);
});
