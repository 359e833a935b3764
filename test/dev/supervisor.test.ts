import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { processIdentity } from '../../dev/processes/process-identity.ts';
import { createSupervisor } from '../../dev/processes/supervisor.ts';
import { eventually } from '../support/eventually.ts';

const IDLE = ['-e', 'setInterval(() => {}, 1000)'];

let dataDir: string;
const said: string[] = [];
const say = (text: string) => void said.push(text);

beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'sluice-supervisor-'));
  said.length = 0;
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

function child(name: string, args: string[] = IDLE) {
  return { name, command: process.execPath, args, logFile: path.join(dataDir, `${name}.log`) };
}

function recordedPids(): number[] {
  const record = JSON.parse(readFileSync(path.join(dataDir, 'processes.json'), 'utf8')) as {
    children: { pid: number }[];
  };
  return record.children.map(({ pid }) => pid);
}

async function startParent(): Promise<ChildProcess> {
  const script = path.join(import.meta.dirname, 'supervised-child.ts');
  const parent = spawn(process.execPath, [script, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(parent.stdout, 'data');
  return parent;
}

/** Resolves when none of the processes is there any more. */
async function gone(pids: number[]): Promise<void> {
  await eventually('the processes to be gone', async () =>
    pids.every((pid) => processIdentity(pid) === undefined) ? true : undefined,
  );
}

describe('a supervisor', () => {
  test('stops the last started child first, and leaves none', async () => {
    const supervisor = await createSupervisor({ dataDir, say });
    const [first, second] = [await supervisor.start(child('first')), await supervisor.start(child('second'))];
    await supervisor.stopAll();
    expect(said).toEqual(['Stopping second ...', 'Stopping first ...']);
    expect([first, second].map(({ pid }) => processIdentity(pid))).toEqual([undefined, undefined]);
    await expect(supervisor.start(child('third'))).rejects.toThrow('is being stopped');
  });

  test('fails with the name and the last output of a child that exits', async () => {
    const supervisor = await createSupervisor({ dataDir, say });
    await supervisor.start(child('worker', ['-e', 'console.error("no disk left"); process.exit(3)']));
    const { message } = await supervisor.failed;
    expect(message).toMatch(/^Worker ended unexpectedly \(exit code 3\).*\n {4}no disk left\n.*worker\.log/);
    await supervisor.stopAll();
  });

  test('kills a child that ignores SIGTERM', async () => {
    const supervisor = await createSupervisor({ dataDir, say });
    const deaf = await supervisor.start({
      ...child('deaf', [
        '-e',
        'process.on("SIGTERM", () => {}); console.log("deaf"); setInterval(() => {}, 1000)',
      ]),
      plan: [{ signal: 'SIGTERM', waitMs: 50 }],
    });
    await eventually(
      'the child',
      async () => readFileSync(deaf.logFile, 'utf8').includes('deaf') || undefined,
    );
    await supervisor.stopAll();
    expect(await deaf.exited).toEqual({ how: 'signal SIGKILL', expected: true });
  });

  test('refuses a data folder that another supervisor uses', async () => {
    const parent = await startParent();
    await expect(createSupervisor({ dataDir, say })).rejects.toThrow(`(process ${parent.pid})`);
    const pids = recordedPids();
    parent.kill('SIGKILL');
    await gone(pids);
  });
});

describe('a process left by a killed supervisor', () => {
  test('ends through its guard', async () => {
    const parent = await startParent();
    const pids = recordedPids();
    expect(pids).toHaveLength(2);
    parent.kill('SIGKILL');
    await gone(pids);
  });

  test('ends at the next start, which spares a stranger with a recorded pid', async () => {
    const orphan = spawn(process.execPath, IDLE, { detached: true, stdio: 'ignore' });
    const stranger = spawn(process.execPath, IDLE, { detached: true, stdio: 'ignore' });
    await Promise.all([once(orphan, 'spawn'), once(stranger, 'spawn')]);
    const plan = [{ signal: 'SIGTERM', waitMs: 5_000 }];
    const children = [
      { name: 'the stranger', pid: stranger.pid, identity: 'of an earlier process', plan },
      { name: 'the orphan', pid: orphan.pid, identity: processIdentity(orphan.pid ?? 0), plan },
    ];
    const record = { owner: { pid: stranger.pid, identity: 'of an earlier process' }, children };
    writeFileSync(path.join(dataDir, 'processes.json'), JSON.stringify(record));

    const supervisor = await createSupervisor({ dataDir, say });
    expect(processIdentity(orphan.pid ?? 0)).toBeUndefined();
    expect(processIdentity(stranger.pid ?? 0)).toBeDefined();
    expect(said).toEqual([expect.stringMatching(/^Stopping the orphan .*left behind/)]);
    stranger.kill('SIGKILL');
    await supervisor.stopAll();
  });
});
