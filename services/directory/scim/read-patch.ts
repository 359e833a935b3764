/** Reads the body of a SCIM PATCH and limits the number of its operations. */
import type { ScimResourceType } from '../../../domain/directory/scim/attribute.ts';
import { refuse } from '../../../domain/directory/scim/refuse.ts';
import { entriesOf } from './read-resource.ts';
import { isObject } from './read-value.ts';

const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:patchop';
/** The largest number of operations of a PATCH. */
export const MAX_OPERATIONS = 10_000;

/** One operation of a PATCH. `value` is undefined only if the operation has none; `null` is a value. */
export interface PatchOperation {
  op: 'add' | 'remove' | 'replace';
  path: string | undefined;
  value: unknown;
}

/** Returns the operations of a PATCH body. Names and operators may be in any case; an empty list changes nothing. */
export function readPatch(raw: unknown): PatchOperation[] {
  if (!isObject(raw)) throw refuse('invalidSyntax', 'The PATCH must be a JSON object.');
  const body = withLowerCaseNames(raw);
  checkSchemas(body['schemas']);
  const operations = body['operations'];
  if (!Array.isArray(operations)) throw refuse('invalidSyntax', 'Operations must be an array.');
  if (operations.length > MAX_OPERATIONS) {
    throw refuse('tooMany', `A PATCH must not have more than ${MAX_OPERATIONS} operations.`);
  }
  return operations.map(readOperation);
}

/** Refuses operations with more changes than `maxChanges`. Each name in a value without a path is a change. */
export function checkNumberOfChanges(
  operations: readonly PatchOperation[],
  type: ScimResourceType,
  maxChanges: number,
): void {
  const counts = operations.map(({ path, value }) =>
    path === undefined && isObject(value) ? Math.max(1, entriesOf(value, type).length) : 1,
  );
  if (counts.reduce((sum, count) => sum + count, 0) > maxChanges) {
    throw refuse(
      'tooMany',
      `A PATCH of a ${type.toLowerCase()} must not have more than ${maxChanges} operations, names in values without a path included.`,
    );
  }
}

function checkSchemas(schemas: unknown): void {
  if (schemas === undefined) return;
  const isPatch =
    Array.isArray(schemas) &&
    schemas.some((schema) => typeof schema === 'string' && schema.toLowerCase() === PATCH_SCHEMA);
  if (!isPatch) throw refuse('invalidSyntax', 'schemas must name the message PatchOp.');
}

function readOperation(raw: unknown): PatchOperation {
  if (!isObject(raw)) throw refuse('invalidSyntax', 'Each operation must be a JSON object.');
  const { op: given, path, value } = withLowerCaseNames(raw);
  const op = typeof given === 'string' ? given.toLowerCase() : undefined;
  if (op !== 'add' && op !== 'remove' && op !== 'replace') {
    throw refuse('invalidSyntax', 'op must be add, remove or replace.');
  }
  if (path !== undefined && path !== null && typeof path !== 'string') {
    throw refuse('invalidPath', 'path must be a string.');
  }
  // Some clients send an empty path where they mean none.
  return { op, path: typeof path === 'string' && path.trim() !== '' ? path.trim() : undefined, value };
}

function withLowerCaseNames(raw: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(raw).map(([key, value]) => [key.toLowerCase(), value]));
}
