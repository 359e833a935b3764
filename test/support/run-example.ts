import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from '@jest/globals';
import type { Gateway } from './gateway.ts';

const FOLDER = path.join(import.meta.dirname, '..', '..', 'examples');

type KnownGateway = Pick<Gateway, 'origin' | 'apiKey' | 'managementKey' | 'webhookSecret'>;

/**
 * Runs an example of the repository against a gateway, as a reader would, and resolves with what it prints. Rejects
 * when the example fails.
 */
export async function runExample(
  gateway: KnownGateway,
  [command, name, ...args]: readonly [command: string, name: string, ...args: string[]],
  env: Record<string, string> = {},
): Promise<string> {
  const child = spawn(command, [path.join(FOLDER, name), ...args], {
    env: {
      PATH: process.env['PATH'],
      PYTHONDONTWRITEBYTECODE: '1',
      BASE_URL: `${gateway.origin}/api/v1`,
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

/** Expects that an example saved a video in this file. */
export async function expectMp4(file: string): Promise<void> {
  expect((await readFile(file)).subarray(4, 8).toString()).toBe('ftyp');
}
