/** Runs one admin command: finds it by its name, and turns its failures into lines for an operator. */
import { createInterface } from 'node:readline/promises';
import { inspect } from 'node:util';
import { UnreleasedSchemaError } from '../db/migrate.ts';
import { isRefusedLogin, isUnmigrated, isUnreachable } from '../db/postgres/outage.ts';
import { redact } from '../platform/redact.ts';
import { StartProblem } from '../platform/start-problem.ts';
import { ConfigError } from '../platform/config-variable.ts';
import { COMMANDS, type Terminal } from './commands.ts';
import { AdminUsageError } from './arguments.ts';

export interface Result {
  exitCode: number;
  stdout: string;
  stderr: string;
}

const LIST = 'npm run admin -- --help';

/** Runs the command of these arguments, prints what it says, and sets the exit code of the process. */
export async function printCommand(argv: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const ask = process.stdin.isTTY ? askAtTerminal : undefined;
  const { exitCode, stdout, stderr } = await runCommand(argv, { env, stderr: process.stderr, ask });
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = exitCode;
}

async function askAtTerminal(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(question)).trim());
  } finally {
    terminal.close();
  }
}

/** Runs the command of these arguments. Never rejects: the exit code is 2 for what the operator can correct. */
export async function runCommand(argv: string[], terminal: Terminal): Promise<Result> {
  try {
    const outcome = await run(argv, terminal);
    const { text, exitCode } = typeof outcome === 'string' ? { text: outcome, exitCode: 0 } : outcome;
    return { exitCode, stdout: `${text}\n`, stderr: '' };
  } catch (error) {
    const exitCode = isCorrectable(error) ? 2 : 1;
    return { exitCode, stdout: '', stderr: `${exitCode === 2 ? reasonOf(error) : describeFailure(error)}\n` };
  }
}

async function run(
  [name, ...args]: string[],
  terminal: Terminal,
): Promise<string | { text: string; exitCode: number }> {
  if (isHelp(name)) return listCommands();
  if (name === undefined) throw new AdminUsageError(`The command is missing. They are listed by: ${LIST}`);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    throw new AdminUsageError(`There is no command "${name}". They are listed by: ${LIST}`);
  }
  if (args.some(isHelp)) return `${command.usage}\n\n${name} ${command.summary}.`;
  return command.run(args, terminal);
}

function isHelp(argument: string | undefined): boolean {
  return argument === '--help' || argument === '-h';
}

function listCommands(): string {
  const widest = Math.max(...Object.keys(COMMANDS).map(({ length }) => length));
  const lines = Object.entries(COMMANDS).map(([word, { summary }]) => `${word.padEnd(widest)}  ${summary}`);
  return [
    'Usage: npm run admin -- COMMAND …',
    '',
    ...lines,
    '',
    'The arguments of a command: npm run admin -- COMMAND --help',
  ].join('\n');
}

/**
 * Returns whether the operator can correct the error: a wrong command line or configuration, or an unreleased schema.
 * `parseArgs` throws TypeErrors with these codes.
 */
function isCorrectable(error: unknown): boolean {
  if (error instanceof AdminUsageError || error instanceof ConfigError) return true;
  if (error instanceof UnreleasedSchemaError) return true;
  const code = error instanceof TypeError && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS');
}

/** Errors of Postgres contain values of rows, which must not be printed to a terminal or a log. */
function describeFailure(error: unknown): string {
  if (isUnmigrated(error)) return 'The database is not migrated. First: npm run migrate';
  if (error instanceof StartProblem) return error.message;
  if (isRefusedLogin(error)) return `Postgres refuses DATABASE_URL: ${reasonOf(error)}`;
  if (isUnreachable(error)) return `A server cannot be reached: ${reasonOf(error)}`;
  return inspect(redact(error), { depth: 6 });
}

/** Returns the code of an error without a message, such as that of a name with several addresses. */
function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || 'unknown';
}
