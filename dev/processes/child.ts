/** Starts a child process with its own log file and process group. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { processIdentity } from './process-identity.ts';
import { StackError } from '../stack-error.ts';
import type { ProcessRef, StopPlan } from './stop-process.ts';

/** A user account by its numeric ids. */
export interface Account {
  uid: number;
  gid: number;
}

export interface ChildOptions {
  /** The name in messages: "Postgres", "the API". */
  name: string;
  command: string;
  args: string[];
  /** The log of stdout and stderr, unless they go to the terminal. It is emptied first unless `appendLog`. */
  logFile: string;
  appendLog?: boolean;
  /** True: stdout and stderr go to those of this process. */
  toTerminal?: boolean;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  account?: Account | undefined;
  /** The signals that stop the child; SIGKILL follows. */
  plan?: StopPlan;
  /** The signal for a second Ctrl-C. */
  killSignal?: NodeJS.Signals;
  /** Receives the output as it arrives, in addition to the log. */
  onOutput?: (chunk: Buffer) => void;
  /**
   * Called when the child ends by itself. Returns true if the callback handled that; otherwise the whole stack has
   * failed.
   */
  onCrash?: (error: StackError) => boolean;
}

export interface Child extends ProcessRef {
  name: string;
  logFile: string;
  plan: StopPlan;
  killSignal: NodeJS.Signals;
  /** Resolves at the end and never rejects. `how` is "exit code 1" or "signal SIGKILL". */
  exited: Promise<{ how: string; expected: boolean }>;
  /** Marks a later end of the child as expected. */
  expectExit(): void;
}

const DEFAULT_PLAN: StopPlan = [{ signal: 'SIGTERM', waitMs: 40_000 }];

/**
 * Starts a process in its own process group and session, so that Ctrl-C in the terminal reaches only the supervisor.
 * Throws a StackError if it cannot be started.
 */
export async function startChild(options: ChildOptions): Promise<Child> {
  mkdirSync(path.dirname(options.logFile), { recursive: true });
  const log = openSync(options.logFile, options.appendLog ? 'a' : 'w', 0o600);
  const output = options.toTerminal ? 'inherit' : options.onOutput === undefined ? log : 'pipe';
  const process = spawn(options.command, options.args, {
    detached: true,
    stdio: ['ignore', output, output],
    env: options.env,
    cwd: options.cwd,
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
    // A child that has ended already has no identity; "ended" matches no process.
    identity: processIdentity(pid) ?? 'ended',
    plan: options.plan ?? DEFAULT_PLAN,
    killSignal: options.killSignal ?? 'SIGKILL',
    exited,
    expectExit: () => (state.expected = true),
  };
}

function whenExited(process: ChildProcess, state: { expected: boolean }): Child['exited'] {
  return new Promise((resolve) => {
    // Node emits "close" after the last output, and also after a failed start.
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
