/** Reports which fields of a request an endpoint's dialect cannot express. */
import type { Issue } from './errors.ts';
import { type Fields, textOf } from './fields.ts';
import { ProviderError } from './provider-error.ts';

/**
 * Thrown when a request has fields that an endpoint's dialect lacks. The adapter throws it before it sends anything, so
 * another endpoint may be tried. When no endpoint can carry the request, the caller gets a 400 that names the fields
 * (services/routing/run-attempts.ts).
 */
export class UnsupportedFieldsError extends ProviderError {
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    const fields = issues.map(({ path }) => path).join(', ');
    super({
      code: 'invalid_request',
      sent: false,
      retryable: false,
      publicMessage: `The provider does not support these fields: ${fields}`,
    });
    this.name = 'UnsupportedFieldsError';
    this.issues = issues;
  }
}

const MESSAGE = 'is not supported by the provider of this model';

/** No known names. */
const NONE: ReadonlySet<string> = new Set();

/** The most issues that are collected. */
const MAX_ISSUES = 50;

/** Collects the fields that cannot be translated, so that one answer to the caller names all of them. */
export class UnsupportedFields {
  readonly #issues: Issue[] = [];

  /** Adds a field. `path` is the caller's name of the field, such as `body.messages.2.content.0.type`. */
  add(path: string, message = MESSAGE): void {
    if (this.#issues.length < MAX_ISSUES) this.#issues.push({ path, message });
  }

  /** Adds the fields of an object that have content and no known name. `path` is the caller's name of the object. */
  addOthers(fields: Fields, path: string, known = NONE): void {
    for (const name in fields) if (!known.has(name) && hasContent(fields[name])) this.add(`${path}.${name}`);
  }

  /** Adds a field whose value is a name, such as the type of a tool. The message repeats the name. */
  addName(path: string, name: unknown): void {
    this.add(path, `${textOf(name)} ${MESSAGE}`);
  }

  /** Returns the top-level fields of the request that were added, or contain one that was. */
  fields(): string[] {
    return [...new Set(this.#issues.map(({ path }) => path.split('.')[1] ?? ''))];
  }

  /** Throws UnsupportedFieldsError if a field was added. */
  throwIfAny(): void {
    if (this.#issues.length > 0) throw new UnsupportedFieldsError(this.#issues);
  }
}

/** Returns whether a field has a value other than null or an empty list, object or text. */
export function hasContent(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
