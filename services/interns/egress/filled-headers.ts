import { AppError, invalidRequest } from '../../../domain/errors.ts';
import type { OpenSecret } from './mask/masked-texts.ts';
import { fillTemplate, type HeaderTemplate, parseHeaderTemplate, placeholdersOf } from './placeholders.ts';

/** The most characters that the values of all headers may have. No common server takes so many. */
const MAX_HEADERS_LENGTH = 64 * 1024;

const VISIBLE_OR_BLANK = /^[\t\x20-\x7e]*$/;
const CONTROL = /\p{Cc}/u;

type Headers = Readonly<Record<string, string>>;

/** Finds the headers with placeholders. 400 without any: this is no way to hosts in general. */
export function templatesOf(headers: Headers): HeaderTemplate[] {
  const templates = Object.entries(headers).flatMap(
    ([name, value]) => parseHeaderTemplate(name, value) ?? [],
  );
  if (templates.length > 0) return templates;
  throw invalidRequest({
    path: 'headers',
    message:
      'must have a placeholder such as {{secret:name}} in the value of a header that is sent to the host',
  });
}

/** Returns the headers with values in the place of placeholders. 422 for a value that a header cannot have. */
export function fillHeaders(
  headers: Headers,
  templates: readonly HeaderTemplate[],
  used: readonly OpenSecret[],
): Record<string, string> {
  const values = new Map(used.map(({ name, value }) => [name, value]));
  for (const { name, user } of placeholdersOf(templates)) {
    const value = values.get(name) ?? '';
    // A Basic credential is encoded, so that other than ASCII can be in it.
    if (user === undefined ? !VISIBLE_OR_BLANK.test(value) : CONTROL.test(value)) throw notForHeader(name);
  }
  const filled: Record<string, string> = { ...headers };
  let length = 0;
  for (const template of templates) {
    const value = fillTemplate(template, values);
    length += value.length;
    if (length > MAX_HEADERS_LENGTH) throw notForHeader(placeholdersOf([template])[0]?.name ?? '');
    filled[template.header] = value;
  }
  return filled;
}

function notForHeader(name: string): AppError {
  return new AppError('invalid_argument', {
    publicMessage: `The value of the secret ${name} cannot be sent in a header`,
    reason: 'value_not_for_header',
  });
}
