/** Lists the static checks and unit tests of the repository, runs them and reports failures. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { CommandContext } from './command.ts';
import { CACHE_FOLDER, openPassedChecks } from './passed-checks.ts';
import { ROOT } from './settings.ts';

/** The folders of tests that need neither Postgres nor Temporal. */
const UNIT_TESTS = ['domain', 'contract', 'platform', 'providers', 'ops'].map((folder) => `test/${folder}/`);

interface Check {
  name: string;
  command: string[];
}

/** The linter, which also reports the errors of types. */
export const CHECK_TYPES_AND_LINT = ['oxlint', '--type-aware', '--type-check', '--deny-warnings'];

/** The checks that inspect the code without running it. Their tools remember unchanged files, where they can. */
export const STATIC_CHECKS: Check[] = [
  // The console's types are made from docs/openapi.json, and the checks below need them.
  { name: 'console types', command: ['npm', 'run', '--silent', '--workspace=console', 'types'] },
  { name: 'format', command: ['oxfmt', '--check'] },
  {
    name: 'types and lint',
    // The packages of test/clients are not installed here; npm run test:clients checks the types of that folder.
    command: [...CHECK_TYPES_AND_LINT, '--ignore-pattern', 'test/clients'],
  },
  { name: 'lint of clients', command: ['oxlint', '--deny-warnings', 'test/clients'] },
  {
    name: 'arrows',
    command: [
      'depcruise',
      '--config',
      '.dependency-cruiser.mjs',
      '--cache',
      `${CACHE_FOLDER}/arrows`,
      '--cache-strategy',
      'content',
      '.',
    ],
  },
  { name: 'dead code', command: ['knip', '--cache', '--cache-location', `${CACHE_FOLDER}/dead-code`] },
  { name: 'prose', command: ['node', 'dev/prose/main.ts'] },
  { name: 'catalog', command: ['node', 'dev/write-catalog.ts', '--check'] },
];

export const UNIT_TEST_CHECK: Check = {
  name: 'unit tests',
  command: ['jest', '--passWithNoTests', ...UNIT_TESTS],
};

/**
 * Returns the environment for a tool of node_modules. This checkout's tools, among them its Node, come first in the
 * PATH.
 */
export function toolEnvironment(extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const tools = path.join(ROOT, 'node_modules', '.bin');
  return {
    ...process.env,
    ...extra,
    PATH: `${tools}${path.delimiter}${process.env['PATH'] ?? ''}`,
    NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --no-warnings`.trim(),
  };
}

export interface FailedCheck {
  name: string;
  /** All output of the check's tool. */
  output: string;
}

/**
 * Runs all checks one by one, prints the result of each, and returns the failed ones. Skips those that passed on the
 * same content before.
 */
export async function runChecks(
  checks: Check[],
  dataDir: string,
  { progress, supervisor }: CommandContext,
): Promise<FailedCheck[]> {
  const failed: FailedCheck[] = [];
  const passed = openPassedChecks();
  for (const { name, command } of checks) {
    // Tests run each time, because they do not depend on the files alone.
    if (name !== UNIT_TEST_CHECK.name && passed.has(name)) {
      progress.say(`  check: ${name.padEnd(15)} ok, as before on the same files`);
      continue;
    }
    const [tool = '', ...args] = command;
    const logFile = path.join(dataDir, 'logs', `check-${tool}.log`);
    const startedAt = Date.now();
    let verdict = 'ok';
    try {
      await supervisor.run({ name, command: tool, args, cwd: ROOT, env: toolEnvironment(), logFile });
      passed.add(name);
    } catch {
      // The report uses the whole log, because the error has only its last lines.
      verdict = 'FAILED';
      failed.push({ name, output: readFileSync(logFile, 'utf8').trimEnd() });
    }
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    progress.say(`  check: ${name.padEnd(15)} ${verdict} after ${seconds} s`);
  }
  return failed;
}

/** Prints the output of the failed checks, and then their names. */
export function reportFailedChecks(failed: readonly FailedCheck[], { progress }: CommandContext): void {
  for (const { name, output } of failed) progress.say(`\nThe check "${name}" failed:\n${output}`);
  if (failed.length > 0) progress.say(`\nFailed checks: ${failed.map(({ name }) => name).join(', ')}.`);
}
