/** Turns validation errors into the issues that an error answer lists. */
import type { z } from 'zod';
import type { Issue } from '../domain/errors.ts';

/** The most issues in one answer: a hostile body could cause a million. */
const MAX_ISSUES = 100;
const MAX_PATH_LENGTH = 200;

/** Returns all issues of one part of a request, each with its full path and the rule in plain words. */
export function issuesOf(part: string, error: z.ZodError): Issue[] {
  const issues = error.issues.slice(0, MAX_ISSUES).map(({ path, message }) => ({
    path: [part, ...path].map(String).join('.').slice(0, MAX_PATH_LENGTH),
    message,
  }));
  const hidden = error.issues.length - issues.length;
  return hidden > 0 ? [...issues, { path: part, message: `breaks ${hidden} more rules` }] : issues;
}

/** Returns the message for a broken rule without a message of its own. `safeParse` takes it as `error`. */
export function describeIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return describeType(issue);
    case 'invalid_value':
      return `${missing(issue)}must be ${oneOf(issue.values)}`;
    case 'invalid_union':
      return `${missing(issue)}${describeUnion(issue)}`;
    case 'too_small':
      return `must ${amount(issue.origin, issue.inclusive ? 'at least' : 'more than', issue.minimum)}`;
    case 'too_big':
      return `must ${amount(issue.origin, issue.inclusive ? 'at most' : 'less than', issue.maximum)}`;
    case 'invalid_format':
      return FORMATS[issue.format] ?? 'does not have the required form';
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.join(', ')}`;
    case 'invalid_key':
      return 'has a field name that is not allowed';
    default:
      return issue.message ?? 'is not valid';
  }
}

/** The rule of each format in words. A regular expression needs a message of its own where it is declared. */
const FORMATS: Record<string, string> = {
  uuid: 'must be a UUID',
  date: 'must be a date such as 2026-01-31',
  datetime: 'must be a date and time such as 2026-01-31T00:00:00Z',
  url: 'must be a URL',
};

const TYPE_NAMES: Record<string, string> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
};

function describeType(issue: z.core.$ZodRawIssue & { expected?: string }): string {
  if (issue.input === undefined) return 'is required';
  const expected = TYPE_NAMES[issue.expected ?? ''] ?? issue.expected;
  if (issue.expected === 'string' && Array.isArray(issue.input)) return 'must be a single string';
  return `must be ${expected}`;
}

function describeUnion(issue: z.core.$ZodRawIssue & { options?: unknown }): string {
  return Array.isArray(issue.options)
    ? `must be ${oneOf(issue.options)}`
    : 'does not have any of the allowed forms';
}

function missing(issue: z.core.$ZodRawIssue): string {
  return issue.input === undefined ? 'is required and ' : '';
}

function oneOf(values: readonly unknown[]): string {
  const words = values.map(String).join(', ');
  return values.length === 1 ? words : `one of ${words}`;
}

function amount(origin: string, bound: string, limit: number | bigint | Date): string {
  const number = String(limit);
  if (origin === 'string') return `have ${bound} ${number} characters`;
  if (origin === 'array' || origin === 'set') return `have ${bound} ${number} items`;
  return `be ${bound} ${number}`;
}
