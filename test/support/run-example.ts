import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Gateway } from './gateway.ts';

const FOLDER = path.join(import.meta.dirname, '..', '..', 'examples');

type KnownGateway = Pick<Gateway, 'origin' | 'apiKey' | 'managementKey' | 'webhookSecret'>;

/**
 * Runs an example of the repository against a gateway, as a reader would, and resolves with what it prints. Rejects
 * when the example fails.
 */
export async function runExample(
  gateway: KnownGateway,
  [command, name]: readonly [command: string, name: string],
  env: Record<string, string> = {},
): Promise<string> {
  const child = spawn(command, [path.join(FOLDER, name)], {
    env: {
      PATH: process.env['PATH'],
      BASE_URL: gateway.origin,
      API_KEY: gateway.apiKey,
      MANAGEMENT_KEY: gateway.managementKey,
      WEBHOOK_SECRET: gateway.webhookSecret,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  if (code !== 0) throw new Error(`${name} ended with exit code ${code}:\n${stdout}\n${stderr}`);
  return stdout;
}
