import { expect } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { loadConfig } from '../../platform/config.ts';
import { PARTS } from '../../platform/config-parts.ts';
import { ConfigError, type Variables } from '../../platform/config-variable.ts';
import { processVariables } from '../../platform/server-variables.ts';

export const KEY = randomBytes(32).toString('base64');

/** Every variable with a fixed name that the API and the worker read, by its name. */
export const allVariables: Variables = Object.fromEntries(
  [processVariables, ...Object.values(PARTS).map(({ variables }) => variables)]
    .flatMap((variables) => Object.values(variables))
    .map((variable) => [variable.name, variable]),
);

/** The least that production starts with. */
export const PRODUCTION = {
  PUBLIC_URL: 'https://sluice.example.com',
  DATABASE_URL: 'postgres://sluice:pa55word@db:5432/sluice',
  TEMPORAL_ADDRESS: 'temporal:7233',
  OBJECT_STORE: 's3://media/production',
  ENCRYPTION_KEYS: `2026a:${KEY}`,
};

export function problemsOf(env: Record<string, string>): ConfigError {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

/** The one thing wrong with the production environment after the change. */
export function problemWith(change: Record<string, string>): string {
  const { problems } = problemsOf({ ...PRODUCTION, ...change });
  expect(problems).toHaveLength(1);
  return `${problems[0]?.variable} ${problems[0]?.message}`;
}
