import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Supervisor } from './processes/supervisor.ts';

export interface GoProgram {
  /** The program's package, with its version: `example.org/tool/cmd/tool@v1.2.3`. */
  package: string;
  /** Where the program goes, under the name that Go gives it. */
  folder: string;
  logFile: string;
}

/** Whether programs can be built here. */
export function hasGo(env: NodeJS.ProcessEnv): boolean {
  return spawnSync('go', ['version'], { env }).status === 0;
}

/** Builds a program from its published source. Rejects with Go's last words when that fails. */
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
