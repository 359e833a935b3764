/** Downloads or builds the Temporal CLI. */
import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { goInstall, hasGo } from '../go-install.ts';
import type { Supervisor } from '../processes/supervisor.ts';
import type { Progress } from '../progress.ts';

/**
 * The pinned version of the CLI, which contains server 1.29. The modules of v1.6 and later cannot be built with `go
 * install`.
 */
export const PINNED_VERSION = 'v1.5.1';

export interface CliContext {
  progress: Progress;
  supervisor: Supervisor;
  logsFolder: string;
}

/** Downloads the CLI to `target`, like @temporalio/testing. On failure it creates no file, and reports the failure. */
export async function downloadTemporalCli(
  target: string,
  context: CliContext,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const folder = path.dirname(target);
  const work = async () => {
    mkdirSync(folder, { recursive: true });
    await context.supervisor.run({
      name: 'The download of the Temporal CLI',
      command: process.execPath,
      args: [path.join(import.meta.dirname, 'download-temporal-cli.ts'), folder, PINNED_VERSION],
      env,
      logFile: path.join(context.logsFolder, 'temporal-cli-download.log'),
    });
    const file = readdirSync(folder).find((name) => name.endsWith(PINNED_VERSION));
    if (file !== undefined) renameSync(path.join(folder, file), target);
  };
  await attempt(`Downloading the Temporal CLI ${PINNED_VERSION}`, 'about 100 MB, once', work, context);
}

/** Builds the CLI to `target` if Go is installed. On failure it creates no file, and reports the failure. */
export async function installTemporalCliWithGo(
  target: string,
  context: CliContext,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  if (!hasGo(env)) return;
  const work = () =>
    goInstall(
      {
        package: `github.com/temporalio/cli/cmd/temporal@${PINNED_VERSION}`,
        folder: path.dirname(target),
        logFile: path.join(context.logsFolder, 'temporal-cli-build.log'),
      },
      context.supervisor,
      env,
    );
  await attempt(
    `Building the Temporal CLI ${PINNED_VERSION} with Go`,
    'about 3 minutes, more on a busy machine; once',
    work,
    context,
  );
}

async function attempt(
  what: string,
  expected: string,
  work: () => Promise<void>,
  { progress, logsFolder }: CliContext,
): Promise<void> {
  try {
    await progress.step(what, expected, work);
  } catch {
    // The caller tries the next way; its final error lists all of them.
    progress.say(`  not possible here (${logsFolder} has the log)`);
  }
}
