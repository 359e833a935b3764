import { execFile } from 'node:child_process';
import { Writable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runCommand } from '../../admin/run-command.ts';
import { compiledCode } from './compiled-code.ts';
import type { Gateway } from './gateway.ts';

export interface Ran {
  /** The exit code. */
  code: number | string | null | undefined;
  stdout: string;
  stderr: string;
}

const MAIN = fileURLToPath(new URL('../../admin/main.ts', import.meta.url));

/** `npm run admin -- …` in this process, against the gateway's Postgres and Temporal. */
export function runAdmin(
  { config, objectsFolder }: Pick<Gateway, 'config' | 'objectsFolder'>,
  args: string[],
  extra: Record<string, string> = {},
): Promise<Ran> {
  const keys = [...config.encryption.keys].map(([id, key]) => `${id}:${key.toString('base64')}`);
  const env = {
    SLUICE_ENV: 'test',
    DATABASE_URL: config.database.url,
    TEMPORAL_ADDRESS: config.temporal.address,
    TEMPORAL_NAMESPACE: config.temporal.namespace,
    OBJECT_STORE: pathToFileURL(objectsFolder).href,
    ENCRYPTION_KEYS: keys.join(','),
    WEBHOOK_SCHEDULE_SECONDS: config.webhooks.scheduleSeconds.join(','),
    ...extra,
  };
  return runAdminHere(args, env);
}

/** Runs an admin command in this process, with these settings only. A process of its own takes half a second more. */
export async function runAdminHere(args: string[], env: Record<string, string>): Promise<Ran> {
  let said = '';
  const stderr = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      said += text;
      done();
    },
  });
  const { exitCode, stdout, stderr: last } = await runCommand(args, { env, stderr });
  return { code: exitCode, stdout, stderr: said + last };
}

/** Runs an admin command in a process that has no other environment. */
export function runAdminProcess(args: string[], env: Record<string, string>): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--no-warnings', MAIN, ...args],
      { env: { ...compiledCode, ...env } },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : error.code, stdout, stderr });
      },
    );
  });
}
