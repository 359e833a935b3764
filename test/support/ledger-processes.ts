import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export interface LedgerLoad {
  url: string;
  spool?: { directory: string; maxBytes: number };
  /** Of the process's own when absent. */
  shard?: number;
  callers: number;
  /** Generations in all. */
  count: number;
  payers: { organizationId: string; workspaceId: string; keyId: number }[];
  /** Where the ids of those that were acknowledged are written, a line each. */
  notes: string;
}

export interface LedgerProcess {
  /** Resolves when it has recorded all, or was killed; rejects when it failed. */
  ended: Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Suspends it, its timers included. */
  pause(): void;
  /** Continues after `pause`. */
  resume(): void;
}

const CHILD = fileURLToPath(new URL('ledger-child.ts', import.meta.url));

/** Resolves when its first generations are on their way. */
export async function startLedgerProcess(load: LedgerLoad): Promise<LedgerProcess> {
  const child = spawn(process.execPath, ['--no-warnings', CHILD, JSON.stringify(load)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>;
  const ended = exited.then(([code, signal]) => {
    if (code !== 0 && signal !== 'SIGKILL') throw new Error(`the process ended with ${code ?? signal}`);
  });
  ended.catch(() => {});
  await Promise.race([once(child, 'message'), ended]);
  return {
    ended,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
  };
}

/** The ids that a process noted. Its last line may be torn. */
export async function readNotes(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => /^gen-\d+-[0-9A-Za-z]{20}$/.test(line));
}
