/** Refuses fields that reach an operation through a preset or provider options although its contract excludes them. */
import { isDeepStrictEqual } from 'node:util';
import { invalidRequest, type Issue } from '../../domain/errors.ts';
import type { RoutableBody } from '../routing/routable-body.ts';

/** Names of fields, each with its allowed values. */
export type RefusedFields = Readonly<Record<string, readonly unknown[]>>;

/**
 * Throws 400 for fields that the operation's contract does not accept but that arrive in another way. They come from a
 * preset, which may hold any field of a chat, or from the options for one provider. Allowed values pass.
 */
export function refuseFields(body: RoutableBody, refused: RefusedFields): void {
  const issues = issuesIn(body, 'body', refused);
  for (const [slug, own] of Object.entries(body.provider?.options ?? {}))
    issues.push(...issuesIn(own, `body.provider.options.${slug}`, refused));
  if (issues.length > 0) throw invalidRequest(...issues);
}

function issuesIn(fields: Record<string, unknown>, path: string, refused: RefusedFields): Issue[] {
  const issues: Issue[] = [];
  for (const name in refused) {
    const value = fields[name];
    if (value === undefined || value === null) continue;
    if (refused[name]!.some((one) => isDeepStrictEqual(one, value))) continue;
    issues.push({ path: `${path}.${name}`, message: 'is not supported by this operation' });
  }
  return issues;
}
