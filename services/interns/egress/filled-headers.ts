/** Puts the values of secrets into the request headers that name them by placeholders. */
import { AppError, invalidRequest } from '../../../domain/errors.ts';
import type { OpenSecret } from './mask/masked-texts.ts';
import {
  fillTemplate,
  type HeaderTemplate,
  parseHeaderTemplate,
  type Placeholder,
  placeholdersOf,
} from './placeholders.ts';

/** The most characters in the values of all headers; no common server accepts as many. */
const MAX_HEADERS_LENGTH = 64 * 1024;

/** The most placeholders of a request. Each costs a lookup of its secret, and a text to search for in the answer. */
const MAX_PLACEHOLDERS = 100;

const VISIBLE_OR_BLANK = /^[\t\x20-\x7e]*$/;
const CONTROL = /\p{Cc}/u;

type Headers = Readonly<Record<string, string>>;

/** The headers of a request that have placeholders. */
export interface HeaderTemplates {
  templates: readonly HeaderTemplate[];
  /** The placeholders of all templates. */
  placeholders: readonly Placeholder[];
}

/** Finds the headers with placeholders. Throws 400 when there are none or more than 100. */
export function templatesOf(headers: Headers): HeaderTemplates {
  const templates = Object.entries(headers).flatMap(
    ([name, value]) => parseHeaderTemplate(name, value) ?? [],
  );
  const placeholders = placeholdersOf(templates);
  const { length } = placeholders;
  if (length > 0 && length <= MAX_PLACEHOLDERS) return { templates, placeholders };
  throw invalidRequest({
    path: 'headers',
    message:
      length === 0
        ? 'must have a placeholder such as {{secret:name}} in the value of a header that is sent to the host'
        : `must have at most ${MAX_PLACEHOLDERS} placeholders in all`,
  });
}

/** Returns the headers with values in place of placeholders. Throws 422 for a value that a header cannot carry. */
export function fillHeaders(
  headers: Headers,
  { templates, placeholders }: HeaderTemplates,
  used: readonly OpenSecret[],
): Record<string, string> {
  const values = new Map(used.map(({ name, value }) => [name, value]));
  const filled: Record<string, string> = { ...headers };
  let room = MAX_HEADERS_LENGTH;
  for (const template of templates) {
    const value = fillTemplate(template, values, room);
    if (value === undefined) throw unsendableValue(placeholdersOf([template])[0]?.name ?? '');
    room -= value.length;
    filled[template.header] = value;
  }
  for (const { name, user } of placeholders) {
    const value = values.get(name) ?? '';
    // A Basic credential is encoded, so its password may contain characters other than ASCII.
    if (user === undefined ? !VISIBLE_OR_BLANK.test(value) : CONTROL.test(value)) throw unsendableValue(name);
  }
  return filled;
}

function unsendableValue(name: string): AppError {
  return new AppError('invalid_argument', {
    publicMessage: `The value of the secret ${name} cannot be sent in a header`,
    reason: 'value_not_for_header',
  });
}
