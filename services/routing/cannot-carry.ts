import type { Issue } from '../../domain/errors.ts';
import { ProviderError } from '../../domain/provider-error.ts';

/**
 * A request that says what the dialect of an endpoint has no word for. It is thrown before anything is sent, so that
 * another endpoint may be asked; where none can carry it, the caller gets a 400 that names the fields
 * (services/routing/run-attempts.ts).
 */
export class CannotCarryError extends ProviderError {
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    const fields = issues.map(({ path }) => path).join(', ');
    super({
      code: 'invalid_request',
      sent: false,
      retryable: false,
      publicMessage: `The request cannot be told to the provider: ${fields}`,
    });
    this.name = 'CannotCarryError';
    this.issues = issues;
  }
}

const MESSAGE = 'cannot be carried to the provider of this model';

/** More would help nobody. */
const MAX_ISSUES = 50;

/** Collects what cannot be carried while a request is translated, so that the caller hears of all of it at once. */
export class Losses {
  readonly #issues: Issue[] = [];

  /** `path` is the caller's name of the field, such as `body.messages.2.content.0.type`. */
  add(path: string, message = MESSAGE): void {
    if (this.#issues.length < MAX_ISSUES) this.#issues.push({ path, message });
  }

  /** The fields of the request in which something was lost. */
  fields(): string[] {
    return [...new Set(this.#issues.map(({ path }) => path.split('.')[1] ?? ''))];
  }

  /** Throws CannotCarryError if anything was lost. */
  refuse(): void {
    if (this.#issues.length > 0) throw new CannotCarryError(this.#issues);
  }
}

/** Whether a field says anything: null, absence and empty lists, objects and texts do not. */
export function saysSomething(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
