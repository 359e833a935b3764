import type { z } from 'zod';
import { describeIssue, issuesOf } from '../../../contract/issues.ts';
import { errorStatusesOf, type OperationDefinition } from '../../../contract/operation.ts';
import { AppError, type Issue } from '../../../domain/errors.ts';

export interface RequestParts {
  params: object;
  query: object;
  headers: object;
  body: unknown;
}

/** Checks each part of a request once, against the operation's own schemas, and reports every issue. */
export function createRequestValidator(operation: OperationDefinition): (raw: RequestParts) => RequestParts {
  const refusesPaths = errorStatusesOf(operation).includes(400);
  return (raw) => {
    const issues: Issue[] = [];
    const params = check('params', operation.params, raw.params, issues);
    // An operation without a 400 answers a path parameter that cannot be valid with a 404.
    if (issues.length > 0 && !refusesPaths) throw new AppError('not_found');
    const query = check('query', operation.query, raw.query, issues);
    const headers = check('headers', operation.headers, raw.headers, issues);
    const isPlain = operation.body?.isPlain?.(raw.body) === true;
    const body = isPlain ? raw.body : check('body', operation.body?.schema, raw.body, issues);
    if (issues.length > 0) throw new AppError('invalid_request', { issues });
    return { params, query, headers, body };
  };
}

function check<Schema extends z.ZodType>(
  part: keyof RequestParts,
  schema: Schema | undefined,
  value: unknown,
  issues: Issue[],
): z.output<Schema> {
  if (schema === undefined) return value as z.output<Schema>;
  const result = schema.safeParse(value, { error: describeIssue });
  if (result.success) return result.data;
  issues.push(...issuesOf(part, result.error));
  return value as z.output<Schema>;
}
