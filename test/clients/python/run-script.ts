import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Gateway } from '../../support/gateway.ts';

/** The environments that dev/clients/python-clients.ts makes. */
export type Environment = 'newest' | 'older' | 'litellm';

/** Returns the Python of an environment. */
export function pythonOf(environment: Environment): string {
  const folders = JSON.parse(process.env['CLIENTS_TEST_VENVS'] ?? '{}') as Partial<
    Record<Environment, string>
  >;
  return path.join(folders[environment] ?? '', 'bin', 'python');
}

/**
 * Runs a script of this folder with the Python of an environment and resolves with the JSON that it prints. The script
 * finds the gateway in GATEWAY_ORIGIN and its key in GATEWAY_KEY.
 */
export async function runScript(
  name: string,
  { origin, apiKey }: Pick<Gateway, 'origin' | 'apiKey'>,
  { environment = 'newest', env = {} }: { environment?: Environment; env?: Record<string, string> } = {},
): Promise<unknown> {
  const child = spawn(pythonOf(environment), [path.join(import.meta.dirname, name)], {
    env: { PATH: process.env['PATH'], GATEWAY_ORIGIN: origin, GATEWAY_KEY: apiKey, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  if (code !== 0) throw new Error(`${name} ended with exit code ${code}:\n${stderr}`);
  return JSON.parse(stdout);
}
