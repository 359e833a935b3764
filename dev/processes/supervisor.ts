/** Manages all child processes of a laptop command, from start to stop. */
import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { deleteDataDir } from '../postgres/cluster-place.ts';
import { startChild, type Child, type ChildOptions } from './child.ts';
import { claimDataDir, type ProcessRecord } from './process-record.ts';
import { StackError } from '../stack-error.ts';
import { stopProcess } from './stop-process.ts';

export interface SupervisorOptions {
  dataDir: string;
  say(text: string): void;
  /** True: the data folder is deleted at the end of this process, even if it is killed. */
  throwAway?: boolean;
}

/** Starts children, watches them, and stops them in reverse order. */
export interface Supervisor {
  /** Starts a process that should run until it is stopped. */
  start(options: ChildOptions): Promise<Child>;
  /** Runs a process to its end. Throws a StackError with its last output unless it exits with 0. */
  run(options: ChildOptions): Promise<void>;
  /** Stops one child. Its end does not count as a failure. */
  stop(child: Child): Promise<void>;
  /** Stops all children, last started first; no child can be started afterwards. */
  stopAll(): Promise<void>;
  /** Kills all children at once; a running `stopAll` then finishes. */
  killAll(): void;
  /** Resolves when a child ends unexpectedly. */
  failed: Promise<StackError>;
}

export async function createSupervisor(options: SupervisorOptions): Promise<Supervisor> {
  const record = await claimDataDir(options.dataDir, options.say);
  const releaseGuard = startGuard(options, record);
  const running: Child[] = [];
  const failure = Promise.withResolvers<StackError>();
  let stopping = false;

  const begin = async (childOptions: ChildOptions): Promise<Child> => {
    if (stopping) throw new StackError('The stack is being stopped.');
    const child = await startChild(childOptions);
    record.add({ name: child.name, pid: child.pid, identity: child.identity, plan: child.plan });
    running.push(child);
    void child.exited.then(() => {
      running.splice(running.indexOf(child), 1);
      record.remove(child.pid);
    });
    if (stopping) {
      // `stopAll` began while this process started, so its list does not include the process.
      await stopChild(child);
      throw new StackError('The stack is being stopped.');
    }
    return child;
  };

  return {
    failed: failure.promise,
    stop: stopChild,
    async start(childOptions) {
      const child = await begin(childOptions);
      void child.exited.then((end) => {
        if (end.expected) return;
        const error = crashError(child, end.how);
        if (childOptions.onCrash?.(error) === true) return;
        failure.resolve(new StackError(`${error.message}\nFix the cause, then run the command again.`));
      });
      return child;
    },
    async run(childOptions) {
      const child = await begin(childOptions);
      const end = await child.exited;
      if (end.how !== 'exit code 0') throw crashError(child, end.how);
    },
    async stopAll() {
      stopping = true;
      for (const child of running.toReversed()) {
        options.say(`Stopping ${child.name} ...`);
        await stopChild(child);
      }
      record.close();
      if (options.throwAway === true) deleteDataDir(options.dataDir);
      releaseGuard();
    },
    killAll() {
      for (const child of running) {
        child.expectExit();
        void stopProcess(child, [{ signal: child.killSignal, waitMs: 3_000 }]);
      }
    },
  };
}

async function stopChild(child: Child): Promise<void> {
  child.expectExit();
  await stopProcess(child, child.plan);
  await child.exited;
}

function crashError(child: Child, how: string): StackError {
  const lines = lastLines(child.logFile, 15).map((line) => `    ${line}`);
  const output = lines.length === 0 ? 'It wrote nothing.' : `Its last output:\n${lines.join('\n')}`;
  const name = child.name.charAt(0).toUpperCase() + child.name.slice(1);
  return new StackError(`${name} ended unexpectedly (${how}). ${output}\nThe whole log is ${child.logFile}.`);
}

/** Starts the guard (`guard.ts`). Returns a function that ends it. */
function startGuard(options: SupervisorOptions, record: ProcessRecord): () => void {
  const guard = spawn(
    process.execPath,
    [
      path.join(import.meta.dirname, 'guard.ts'),
      options.dataDir,
      String(record.owner.pid),
      record.owner.identity,
      ...(options.throwAway === true ? ['throw-away'] : []),
    ],
    { detached: true, stdio: ['pipe', 'ignore', 'ignore'], cwd: '/' },
  );
  guard.unref();
  // Kills the guard: closing its stdin would make it stop the children.
  return () => void guard.kill('SIGKILL');
}

const TAIL_BYTES = 8192;

/** Returns the last lines of a log without reading the rest; an empty list if it cannot be read. */
function lastLines(file: string, count: number): string[] {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch {
    return [];
  }
  try {
    const start = Math.max(0, fstatSync(descriptor).size - TAIL_BYTES);
    const buffer = Buffer.alloc(TAIL_BYTES);
    const bytes = readSync(descriptor, buffer, 0, TAIL_BYTES, start);
    return buffer.toString('utf8', 0, bytes).trimEnd().split('\n').slice(-count).filter(Boolean);
  } finally {
    closeSync(descriptor);
  }
}
