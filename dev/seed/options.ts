/** Parses the command line of the seed command. */
import { parseArgs } from 'node:util';
import { UUID_PATTERN } from '../../domain/ids.ts';
import { StackError } from '../stack-error.ts';

const SEED_USAGE = `Usage: npm run seed -- --generations 1000000 [--days 90] [--seed 1] [--organization UUID]
                      [--until 2026-03-01T00:00:00Z] [--into-production]`;

export interface SeedOptions {
  generations: number;
  /** The number of whole days before `until` with generations. */
  days: number;
  seed: number;
  /** Absent: the first organization. */
  organizationId?: string | undefined;
  /** The latest time of a generation; by default the last full hour. */
  until: Date;
  intoProduction: boolean;
}

const HOUR_MS = 3_600_000;
const MAX_GENERATIONS = 1_000_000_000;
const MAX_DAYS = 3_650;

/** Reads the options. Throws a StackError with the usage. */
export function readSeedOptions(args: string[], nowMs: number): SeedOptions {
  const { generations, days, seed, organization, until, ...flags } = parse(args);
  if (organization !== undefined && !UUID_PATTERN.test(organization)) throw wrong('--organization', 'a UUID');
  const untilMs = until === undefined ? nowMs : Date.parse(until);
  if (!(untilMs <= nowMs)) throw wrong('--until', 'a time that is over, such as 2026-03-01T00:00:00Z');
  return {
    generations: wholeNumber('--generations', generations, MAX_GENERATIONS),
    days: wholeNumber('--days', days, MAX_DAYS),
    seed: wholeNumber('--seed', seed, Number.MAX_SAFE_INTEGER),
    organizationId: organization,
    until: new Date(untilMs - (untilMs % HOUR_MS)),
    intoProduction: flags['into-production'],
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        generations: { type: 'string' },
        days: { type: 'string', default: '90' },
        seed: { type: 'string', default: '1' },
        organization: { type: 'string' },
        until: { type: 'string' },
        'into-production': { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new StackError(`${(error as Error).message}\n\n${SEED_USAGE}`, { cause: error });
  }
}

function wholeNumber(option: string, text: string | undefined, max: number): number {
  const number = /^\d{1,16}$/.test(text ?? '') ? Number(text) : 0;
  if (number < 1 || number > max) throw wrong(option, `a whole number from 1 to ${max}`);
  return number;
}

function wrong(option: string, expected: string): StackError {
  return new StackError(`${option} must be ${expected}.\n\n${SEED_USAGE}`);
}
