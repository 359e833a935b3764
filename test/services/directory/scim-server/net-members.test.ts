import { describe, expect, test } from '@jest/globals';
import { type NetMembers, netMembers } from '../../../../services/directory/scim-server/net-members.ts';
import type { GroupChange } from '../../../../services/directory/scim/read-group-patch.ts';

const add = (...values: string[]): GroupChange => ({ kind: 'add_members', values });
const remove = (...values: string[]): GroupChange => ({ kind: 'remove_members', values });
const replace = (...values: string[]): GroupChange => ({ kind: 'replace_members', values });
const clear: GroupChange = { kind: 'remove_all_members' };

const difference = (added: string[], removed: string[]): NetMembers => ({
  kind: 'difference',
  added: new Set(added),
  removed: new Set(removed),
});
const replacement = (...members: string[]): NetMembers => ({
  kind: 'replacement',
  members: new Set(members),
});

describe('netMembers', () => {
  test.each<[string, GroupChange[], NetMembers]>([
    ['nothing when there are none', [], difference([], [])],
    ['nothing when only the name changes', [{ kind: 'set', displayName: 'x' }], difference([], [])],
    ['each member once', [add('a', 'b'), add('b')], difference(['a', 'b'], [])],
    ['an addition behind a removal', [remove('a', 'b'), add('a')], difference(['a'], ['b'])],
    ['a removal behind an addition', [add('a', 'b'), remove('a')], difference(['b'], ['a'])],
    ['the last replacement', [add('a'), replace('b'), replace('c')], replacement('c')],
    ['a replacement with what follows', [replace('a', 'b'), remove('a'), add('c')], replacement('b', 'c')],
    ['nobody when all are removed', [add('a'), clear], replacement()],
    ['who is added behind the removal of all', [clear, add('a')], replacement('a')],
  ])('yields %s', (_what, changes, net) => {
    const { kind, ...sets } = netMembers(changes);
    expect({ kind, ...sets }).toEqual(net);
  });
});
