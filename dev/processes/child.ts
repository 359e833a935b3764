import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { processIdentity } from './process-identity.ts';
import { StackError } from '../stack-error.ts';
import type { ProcessRef, StopPlan } from './stop-process.ts';

/** Another user than this one, by number. */
export interface Account {
  uid: number;
  gid: number;
}

export interface ChildOptions {
  /** As people read it: "Postgres", "the API". */
  name: string;
  command: string;
  args: string[];
  /** Gets both outputs, unless they go to the terminal; emptied first unless `appendLog`. */
  logFile: string;
  appendLog?: boolean;
  /** Both outputs go where this process's go. */
  toTerminal?: boolean;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  account?: Account;
  /** How it is stopped; SIGKILL follows. */
  plan?: StopPlan;
  /** For the impatient second Ctrl-C. */
  killSignal?: NodeJS.Signals;
  /** Sees the output as it comes, besides the log. */
  onOutput?: (chunk: Buffer) => void;
  /** Asked when the child ends by itself: true when that is dealt with, else the whole stack has failed. */
  onCrash?: (error: StackError) => boolean;
}

export interface Child extends ProcessRef {
  name: string;
  logFile: string;
  plan: StopPlan;
  killSignal: NodeJS.Signals;
  /** Never rejects. `how` is "exit code 1" or "signal SIGKILL". */
  exited: Promise<{ how: string; expected: boolean }>;
  /** From now on its end is no failure. */
  expectExit(): void;
}

const DEFAULT_PLAN: StopPlan = [{ signal: 'SIGTERM', waitMs: 40_000 }];

/**
 * Starts a process in a process group and session of its own, so that Ctrl-C in the terminal reaches only
 * the one who supervises. Throws a StackError when it cannot be started.
 */
export async function startChild(options: ChildOptions): Promise<Child> {
  mkdirSync(path.dirname(options.logFile), { recursive: true });
  const log = openSync(options.logFile, options.appendLog ? 'a' : 'w', 0o600);
  const output = options.toTerminal ? 'inherit' : options.onOutput === undefined ? log : 'pipe';
  const process = spawn(options.command, options.args, {
    detached: true,
    stdio: ['ignore', output, output],
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...options.account,
  });
  const state = { expected: false };
  const exited = whenExited(process, state).finally(() => closeSync(log));
  for (const stream of [process.stdout, process.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      writeSync(log, chunk);
      options.onOutput?.(chunk);
    });
  }
  const pid = await whenSpawned(process, options);
  return {
    name: options.name,
    logFile: options.logFile,
    pid,
    // A process that has already ended has none, and matches none.
    identity: processIdentity(pid) ?? 'ended',
    plan: options.plan ?? DEFAULT_PLAN,
    killSignal: options.killSignal ?? 'SIGKILL',
    exited,
    expectExit: () => (state.expected = true),
  };
}

function whenExited(process: ChildProcess, state: { expected: boolean }): Child['exited'] {
  return new Promise((resolve) => {
    // "close" comes after the last output; it follows a failed start too.
    process.once('close', (code, signal) => {
      resolve({ how: signal === null ? `exit code ${code}` : `signal ${signal}`, expected: state.expected });
    });
  });
}

function whenSpawned(process: ChildProcess, options: ChildOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    process.once('spawn', () => resolve(process.pid ?? 0));
    process.once('error', (error) => {
      reject(new StackError(`${options.name} could not be started: ${error.message}`, { cause: error }));
    });
  });
}
