/** Reads the arguments of admin commands. Each error is one line that names what is wrong. */
import { parseArgs } from 'node:util';
import { type Nanos, parseUsd } from '../domain/money.ts';

/** The text that a command prints, and whether all succeeded. */
export interface Report {
  text: string;
  isDone: boolean;
}

/** Returns an error of a command, with the way to its usage. `problem` is a whole clause. */
export function wrongUsage(command: string, problem: string): AdminUsageError {
  return new AdminUsageError(`${command}: ${problem}. See: npm run admin -- ${command} --help`);
}

/** Returns the verb of a command, and the arguments after it. */
export function pickVerb<const V extends string>(
  command: string,
  verbs: readonly V[],
  [word, ...rest]: string[],
): [V, string[]] {
  const verb = verbs.find((candidate) => candidate === word);
  if (verb !== undefined) return [verb, rest];
  const found = word === undefined ? 'nothing' : `"${word}"`;
  throw wrongUsage(command, `${found} was given where one of ${verbs.join(', ')} belongs`);
}

/** Refuses options and arguments, for a command that takes none. */
export function requireNone(args: string[]): void {
  parseArgs({ args, options: {} });
}

/** Returns the arguments with these names, and refuses further ones. The last may be optional: `[DIRECTORY]`. */
export function positionalsOf(command: string, names: string[], args: string[]): (string | undefined)[] {
  const { positionals } = parseArgs({ args, allowPositionals: true, options: {} });
  const missing = names.find((name, at) => positionals[at] === undefined && !name.startsWith('['));
  if (missing !== undefined) throw wrongUsage(command, `${missing} is missing`);
  const surplus = positionals[names.length];
  if (surplus !== undefined) throw wrongUsage(command, `"${surplus}" is one argument too many`);
  return names.map((_, at) => positionals[at]);
}

/** Returns the only argument of a command. */
export function onlyPositional(command: string, name: string, args: string[]): string {
  return positionalsOf(command, [name], args)[0]!;
}

export function oneOf<const T extends string>(flag: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) {
    throw new AdminUsageError(`${flag} must be one of ${allowed.join(', ')}, not "${value}"`);
  }
  return found;
}

/** Returns the value of an option that the command needs. */
export function required(command: string, flag: string, value: string | undefined): string {
  if (value === undefined) throw wrongUsage(command, `${flag} is missing`);
  if (value.trim() === '') throw new AdminUsageError(`${flag} must not be empty`);
  return value;
}

/** Returns an amount of dollars, which may be negative. */
export function parseAmount(flag: string, text: string): Nanos {
  try {
    return parseUsd(text);
  } catch {
    throw new AdminUsageError(
      `${flag} must be a decimal amount of dollars, such as 25 or 0.50, not "${text}"`,
    );
  }
}

/** Returns a whole number from 1 to 99,999 that is not above `max`. `what` is the subject of the error. */
export function parseCount(what: string, text: string, max: number): number {
  const count = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= max) return count;
  throw new AdminUsageError(`${what} must be a whole number from 1 to ${max}`);
}

export function parseEmail(text: string): string {
  if (text.length <= 320 && /^[^\s@]+@[^\s@]+$/.test(text)) return text;
  throw new AdminUsageError(`--email must be an email address, not "${text}"`);
}

/** A wrong command line. The message shows the right usage and is printed without a stack. */
export class AdminUsageError extends Error {}
