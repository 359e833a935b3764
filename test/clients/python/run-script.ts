import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Gateway } from '../../support/gateway.ts';

const PYTHON = path.join(process.env['CLIENTS_TEST_VENV'] ?? '', 'bin', 'python');

/**
 * Runs a script of this folder with the clients' Python and resolves with the JSON that it prints. The script finds the gateway in
 * GATEWAY_ORIGIN and its key in GATEWAY_KEY.
 */
export async function runScript(
  name: string,
  { origin, apiKey }: Pick<Gateway, 'origin' | 'apiKey'>,
  env: Record<string, string> = {},
): Promise<unknown> {
  const child = spawn(PYTHON, [path.join(import.meta.dirname, name)], {
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
