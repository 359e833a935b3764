/** Reduces the changes of a group's members in one request to their net effect. */
import type { GroupChange } from '../scim/read-group-patch.ts';

/** The sum of the changes in one request. */
export type NetMembers =
  | { kind: 'difference'; added: ReadonlySet<string>; removed: ReadonlySet<string> }
  | { kind: 'replacement'; members: ReadonlySet<string> };

/**
 * Adds up changes of members; the last one about a member counts. So ten thousand operations take as many statements as
 * one, and a member who is removed and added again stays a member.
 */
export function netMembers(changes: readonly GroupChange[]): NetMembers {
  let members: Set<string> | undefined;
  const added = new Set<string>();
  const removed = new Set<string>();
  const move = (values: readonly string[], to: Set<string>, from: Set<string>): void => {
    for (const value of values) {
      to.add(value);
      from.delete(value);
    }
  };
  for (const change of changes) {
    switch (change.kind) {
      case 'add_members':
        move(change.values, members ?? added, removed);
        break;
      case 'remove_members':
        move(change.values, removed, members ?? added);
        break;
      case 'replace_members':
        members = new Set(change.values);
        break;
      case 'remove_all_members':
        members = new Set();
        break;
      default:
    }
  }
  return members === undefined ? { kind: 'difference', added, removed } : { kind: 'replacement', members };
}
