/** Builds third-party Go programs that tests and the laptop stack need. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Supervisor } from './processes/supervisor.ts';

export interface GoProgram {
  /** The program's package, with its version: `example.org/tool/cmd/tool@v1.2.3`. */
  package: string;
  /** The folder of the program, under Go's name for it. */
  folder: string;
  logFile: string;
}

/** Returns whether Go is installed. */
export function hasGo(env: NodeJS.ProcessEnv): boolean {
  return spawnSync('go', ['version'], { env }).status === 0;
}

/** Builds a program from its published source. Rejects with Go's last output on failure. */
export async function goInstall(
  program: GoProgram,
  supervisor: Supervisor,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  mkdirSync(program.folder, { recursive: true });
  await supervisor.run({
    name: `go install ${path.basename(program.package)}`,
    command: 'go',
    args: ['install', program.package],
    env: { ...env, GOBIN: program.folder },
    cwd: program.folder,
    logFile: program.logFile,
  });
}
