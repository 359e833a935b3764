/** Parses placeholders such as `{{secret:name}}` in header values, and replaces them by secrets. */
import { invalidRequest } from '../../../domain/errors.ts';

/** Stands for a secret's value, or for a Basic credential (RFC 7617) whose password is that value. */
export interface Placeholder {
  /** The placeholder itself, as the intern wrote it. */
  text: string;
  name: string;
  /** The user of a Basic credential; absent for the plain value. */
  user?: string | undefined;
}

/** A header's value, cut at its placeholders. */
export interface HeaderTemplate {
  header: string;
  parts: readonly (string | Placeholder)[];
}

const OPENING = /\{\{(?:secret|basic):/g;
const NAME = '[a-z](?:_?[a-z0-9])*';
/**
 * The users that a placeholder may name. A quote or backslash would break the JSON of an answer in which the credential
 * is masked.
 */
const USER = String.raw`[^:{}"\\\x00-\x1f\x7f-\uffff]{0,255}`;
const PLACEHOLDER = new RegExp(
  String.raw`\{\{(?:secret:(?<secret>${NAME})|basic:(?<user>${USER}):(?<password>${NAME}))\}\}`,
  'y',
);
const MAX_NAME_LENGTH = 255;
const ENDS_WITH_SCHEME = /(?:^|\s)basic +$/i;

/**
 * Finds the placeholders of a header's value. Returns undefined when there is none. Throws a 400 that names the
 * header when a text begins like a placeholder but is none, because it would reach the host unchanged.
 */
export function parseHeaderTemplate(header: string, value: string): HeaderTemplate | undefined {
  if (!value.includes('{{')) return undefined;
  const parts: (string | Placeholder)[] = [];
  let at = 0;
  for (const { index } of value.matchAll(OPENING)) {
    const placeholder = placeholderAt(value, index);
    if (placeholder === undefined) throw malformed(header);
    if (at < index) parts.push(value.slice(at, index));
    parts.push(placeholder);
    at = index + placeholder.text.length;
  }
  if (parts.length === 0) return undefined;
  if (at < value.length) parts.push(value.slice(at));
  return { header, parts };
}

function placeholderAt(value: string, index: number): Placeholder | undefined {
  PLACEHOLDER.lastIndex = index;
  const found = PLACEHOLDER.exec(value);
  if (found === null) return undefined;
  const { secret, user, password } = found.groups ?? {};
  const name = secret ?? password ?? '';
  if (name.length > MAX_NAME_LENGTH) return undefined;
  return { text: found[0], name, user };
}

/**
 * Replaces the placeholders in one pass, so a value that looks like a placeholder is not replaced in turn. Returns
 * undefined as soon as the result is longer than `maxLength`.
 */
export function fillTemplate(
  { parts }: HeaderTemplate,
  values: ReadonlyMap<string, string>,
  maxLength: number,
): string | undefined {
  let filled = '';
  for (const [n, part] of parts.entries()) {
    filled += typeof part === 'string' ? part : textOf(part, values.get(part.name) ?? '', parts[n - 1]);
    if (filled.length > maxLength) return undefined;
  }
  return filled;
}

/**
 * Returns the text that takes the place of a placeholder. The scheme `Basic` is added unless it stands before the
 * placeholder already.
 */
function textOf({ user }: Placeholder, value: string, before: string | Placeholder | undefined): string {
  if (user === undefined) return value;
  const hasScheme = typeof before === 'string' && ENDS_WITH_SCHEME.test(before);
  return `${hasScheme ? '' : 'Basic '}${basicToken(user, value)}`;
}

/** Returns the part of a Basic credential after the scheme. */
export function basicToken(user: string, password: string): string {
  return Buffer.from(`${user}:${password}`).toString('base64');
}

/** Returns the distinct names of the secrets that the placeholders stand for, in order of appearance. */
export function namesOf(placeholders: readonly Placeholder[]): string[] {
  return [...new Set(placeholders.map(({ name }) => name))];
}

export function placeholdersOf(templates: readonly HeaderTemplate[]): Placeholder[] {
  return templates.flatMap(({ parts }) => parts.filter((part) => typeof part !== 'string'));
}

function malformed(header: string): Error {
  return invalidRequest({
    path: `headers.${header}`,
    message: 'must use placeholders of the form {{secret:name}} or {{basic:user:name}}',
  });
}
