/** Translates a SCIM PATCH of a group into a few changes of its name and its members. */
import type { ScimAttributes } from '../../../domain/directory/person.ts';
import { MAX_GROUP_MEMBERS } from '../../../domain/directory/group.ts';
import type { Filter } from '../../../domain/directory/scim/filter.ts';
import { refuse } from '../../../domain/directory/scim/refuse.ts';
import { findTarget, isOfUnknownSchema, isReadOnly, type PatchTarget, readTarget } from './patch-target.ts';
import { readMembers, readMemberValue, readGroupName } from './read-group.ts';
import { checkNumberOfChanges, MAX_OPERATIONS, type PatchOperation } from './read-patch.ts';
import { entriesOf } from './read-resource.ts';
import { isObject, readText, STRICT } from './read-value.ts';

/** One change of a group. Only `remove_all_members` and a replacement by no values empty it. */
export type GroupChange =
  | { kind: 'set'; displayName?: string; externalId?: string | null; resource?: ScimAttributes }
  | { kind: 'add_members' | 'remove_members' | 'replace_members'; values: string[] }
  | { kind: 'remove_all_members' };

type Operator = PatchOperation['op'];

/** Returns the changes that the operations of a PATCH make to a group, in their order. */
export function readGroupPatch(operations: readonly PatchOperation[]): GroupChange[] {
  checkNumberOfChanges(operations, 'Group', MAX_OPERATIONS);
  const changes = operations.flatMap(({ op, path, value }) => {
    if (path === undefined) return changesWithoutPath(op, value);
    return isOfUnknownSchema(path, 'Group') ? [] : changesAt(readTarget(path, 'Group'), op, value);
  });
  return joinNeighbours(changes);
}

/**
 * Returns the changes of an operation without a path. Okta sends `{"id", "displayName"}` there, so attributes that a
 * PATCH cannot change are ignored.
 */
function changesWithoutPath(op: Operator, value: unknown): GroupChange[] {
  if (op === 'remove') throw refuse('noTarget', 'A removal needs a path.');
  if (!isObject(value)) throw refuse('invalidValue', 'Without a path, the value must be an object.');
  return entriesOf(value, 'Group').flatMap(([key, raw]) => {
    const target = findTarget(key, 'Group');
    return target === undefined || isReadOnly(target) ? [] : changesAt(target, op, raw);
  });
}

function changesAt(target: PatchTarget, op: Operator, raw: unknown): GroupChange[] {
  if (op !== 'remove' && raw === undefined && target.filter === undefined) {
    throw refuse('invalidValue', `The operation on ${target.attribute.name} needs a value.`);
  }
  switch (target.attribute.name) {
    case 'displayName':
      if (op === 'remove') throw refuse('mutability', 'displayName is required and cannot be removed.');
      return [{ kind: 'set', displayName: readGroupName(readText(raw, 'displayName')) }];
    case 'externalId':
      return [{ kind: 'set', externalId: op === 'remove' ? null : readExternalId(raw) }];
    default:
      return target.filter === undefined ? changesOfAll(target, op, raw) : changesOfChosen(target, op, raw);
  }
}

function readExternalId(raw: unknown): string | null {
  return raw === null || raw === '' ? null : readText(raw, 'externalId');
}

/**
 * Returns the change of an operation on `members` as a whole. A value without any member never stands for all
 * members.
 */
function changesOfAll({ sub }: PatchTarget, op: Operator, raw: unknown): GroupChange[] {
  if (sub !== undefined) throw refuse('invalidPath', 'The path must choose members by their value.');
  if (op === 'remove' && raw === undefined) return [{ kind: 'remove_all_members' }];
  return [{ kind: MEMBER_CHANGES[op], values: readMembers(raw, STRICT) }];
}

const MEMBER_CHANGES = { add: 'add_members', remove: 'remove_members', replace: 'replace_members' } as const;

/** Returns the changes of an operation whose path selects members, such as `members[value eq "…"]`. */
function changesOfChosen({ filter, sub }: PatchTarget, op: Operator, raw: unknown): GroupChange[] {
  if (sub !== undefined && sub.name !== 'value') throw refuse('mutability', `${sub.name} cannot be changed.`);
  const values = filter === undefined ? [] : valuesOf(filter);
  if (values.length > MAX_GROUP_MEMBERS) throw refuse('tooMany', 'The filter names too many members.');
  if (op !== 'replace') return [{ kind: MEMBER_CHANGES[op], values }];
  return [
    { kind: 'remove_members', values },
    { kind: 'add_members', values: readMembers(raw, STRICT) },
  ];
}

function valuesOf(filter: Filter): string[] {
  if (filter.op === 'or') return [...new Set(filter.filters.flatMap(valuesOf))];
  if (filter.op !== 'eq' || filter.path.toLowerCase() !== 'value') {
    throw refuse('invalidFilter', 'Members are chosen by `value eq`, several of them with `or`.');
  }
  return [readMemberValue(filter.value)];
}

/** Joins consecutive changes of one kind into one statement, because Okta sends an operation for each member. */
function joinNeighbours(changes: readonly GroupChange[]): GroupChange[] {
  const runs: [GroupChange, ...GroupChange[]][] = [];
  for (const change of changes) {
    const run = runs.at(-1);
    const isJoined = change.kind === 'add_members' || change.kind === 'remove_members';
    if (isJoined && run?.[0].kind === change.kind) run.push(change);
    else runs.push([change]);
  }
  return runs.map((run) => (run.length === 1 ? run[0] : join(run)));
}

function join(run: readonly [GroupChange, ...GroupChange[]]): GroupChange {
  const values = [...new Set(run.flatMap((change) => ('values' in change ? change.values : [])))];
  if (values.length > MAX_GROUP_MEMBERS) {
    throw refuse('tooMany', `A PATCH must not name more than ${MAX_GROUP_MEMBERS} members.`);
  }
  return { ...run[0], values } as GroupChange;
}
