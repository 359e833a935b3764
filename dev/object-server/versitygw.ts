/** Builds and starts an S3 server, against which tests check the object store. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { CommandContext } from '../command.ts';
import { goInstall, hasGo } from '../go-install.ts';
import { findFreePorts } from '../ports.ts';
import { userCacheFolder } from '../postgres/reachable-folder.ts';
import { HOST } from '../settings.ts';
import { StackError } from '../stack-error.ts';
import { waitUntil } from '../wait-until.ts';

/** The version of versitygw, an S3 server that stores objects in a folder; Apache-2.0. */
const PINNED_VERSION = 'v1.8.0';

const WHAT_IT_NEEDS = [
  'The tests against a real S3 server need one, and none can be made here: Go is not installed.',
  'Any one of these helps:',
  '  1. install Go (https://go.dev/dl); the server (versitygw) is then built once, in one to five minutes',
  '  2. name a server of your own: S3_TEST_ENDPOINT, S3_TEST_ACCESS_KEY_ID, S3_TEST_SECRET_ACCESS_KEY',
].join('\n');

/** Returns the path of the pinned server, which is built if necessary. Throws a StackError without Go. */
export async function findVersitygw(
  { progress, supervisor }: CommandContext,
  logsFolder: string,
  env = process.env,
): Promise<string> {
  const folder = path.join(userCacheFolder(env), `versitygw-${PINNED_VERSION}`);
  const program = path.join(folder, 'versitygw');
  if (existsSync(program)) return program;
  if (!hasGo(env)) throw new StackError(WHAT_IT_NEEDS);
  await progress.step(
    `Building versitygw ${PINNED_VERSION} with Go`,
    'up to five minutes on a busy machine, once',
    () =>
      goInstall(
        {
          package: `github.com/versity/versitygw/cmd/versitygw@${PINNED_VERSION}`,
          folder,
          logFile: path.join(logsFolder, 'versitygw-build.log'),
        },
        supervisor,
        env,
      ),
  );
  return program;
}

/** Starts the server on an empty folder. Resolves with the variables for tests once it answers. */
export async function startVersitygw(
  program: string,
  dataDir: string,
  { supervisor }: CommandContext,
): Promise<NodeJS.ProcessEnv> {
  const [port = 0] = await findFreePorts(1);
  const folder = path.join(dataDir, 'objects');
  mkdirSync(folder);
  const accessKeyId = 'test';
  const secretAccessKey = randomBytes(16).toString('hex');
  await supervisor.start({
    name: 'versitygw',
    command: program,
    args: ['--port', `${HOST}:${port}`, '--quiet', 'posix', folder],
    env: { ...process.env, ROOT_ACCESS_KEY: accessKeyId, ROOT_SECRET_KEY: secretAccessKey },
    logFile: path.join(dataDir, 'logs', 'versitygw.log'),
    plan: [{ signal: 'SIGTERM', waitMs: 10_000 }],
  });
  const endpoint = `http://${HOST}:${port}`;
  await waitUntil('versitygw', 30_000, () => answerProblem(endpoint));
  return {
    S3_TEST_ENDPOINT: endpoint,
    S3_TEST_ACCESS_KEY_ID: accessKeyId,
    S3_TEST_SECRET_ACCESS_KEY: secretAccessKey,
  };
}

/**
 * Returns a problem until the server answers. Any answer shows that it is running, also the refusal of this unsigned
 * request.
 */
async function answerProblem(endpoint: string): Promise<string | undefined> {
  try {
    await fetch(endpoint, { signal: AbortSignal.timeout(5_000) });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
