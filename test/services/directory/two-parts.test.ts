import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createMemberService } from '../../../services/accounts/workspaces/member-service.ts';
import type { Shown } from '../../support/directory-readings.ts';
import {
  createDirectoryScene,
  type DirectoryOrganization,
  type DirectoryScene,
} from '../../support/directory-scene.ts';

let scene: DirectoryScene;
let organization: DirectoryOrganization;
let team: string;
let personId: string;
let userId: string;

beforeAll(async () => {
  scene = await createDirectoryScene();
});

afterAll(() => scene.close());

/** Each test has an organization with a workspace, and one person who is a member. */
beforeEach(async () => {
  organization = await scene.newOrganization();
  team = await organization.addWorkspace();
  personId = await organization.addPerson({ userName: 'ada' });
  await organization.apply([personId]);
  userId = (await organization.userOf(personId))!;
});

const byDirectory = async (role: 'admin' | 'member', workspaceId = team): Promise<string> => {
  const group = await organization.addGroup([personId], [[workspaceId, role]]);
  await organization.apply([personId]);
  return group;
};

const withoutGroup = async (groupId: string) => {
  await scene.knex('directory_groups').where({ id: groupId }).update({ deleted_at: new Date() });
  return organization.apply([personId]);
};

const shown = async (): Promise<Shown | undefined> => (await organization.shown(team)).get(userId);

const service = () => createMemberService({ knex: scene.knex });
const actor = () => ({ organizationId: organization.id });

describe('a membership of a workspace', () => {
  test('has the higher role of its two parts', async () => {
    await byDirectory('admin');
    await organization.addByHand(team, [userId]);
    expect((await shown())?.role).toBe('admin');
  });

  test.each(['hand first', 'directory first'])('keeps its id while one part remains: %s', async (order) => {
    let group: string;
    if (order === 'hand first') {
      await organization.addByHand(team, [userId]);
      const before = await shown();
      group = await byDirectory('member');
      expect(await shown()).toEqual(before);
    } else {
      group = await byDirectory('member');
      const before = await shown();
      await organization.addByHand(team, [userId]);
      expect(await shown()).toEqual(before);
    }
    const both = await shown();
    expect(both).toBeDefined();
    if (order === 'hand first') await scene.knex('workspace_members').where({ user_id: userId }).delete();
    else await withoutGroup(group);
    expect(await shown()).toEqual(both);
  });

  test('ends when both parts are gone', async () => {
    await organization.addByHand(team, [userId]);
    const group = await byDirectory('member');
    await withoutGroup(group);
    expect((await shown())?.role).toBe('member');
    await service().remove(actor(), team, [userId]);
    expect(await shown()).toBeUndefined();
  });

  test('has the highest role that several mapped groups give', async () => {
    await byDirectory('member');
    const admins = await byDirectory('admin');
    expect((await shown())?.role).toBe('admin');
    const { counts } = await withoutGroup(admins);
    expect(counts).toMatchObject({ workspaceMembersChanged: 1, workspaceMembersRemoved: 0 });
    expect((await shown())?.role).toBe('member');
  });

  test('counts once in the list and its total', async () => {
    await byDirectory('member');
    await organization.addByHand(team, [userId]);
    const { members, totalCount } = await service().list(organization.id, team, { limit: 10, offset: 0 });
    expect([members.length, totalCount]).toEqual([1, 1]);
  });

  test('ignores a mapping to a deleted workspace', async () => {
    await scene.knex('workspaces').where({ id: team }).update({ deleted_at: new Date() });
    await byDirectory('member');
    expect(await scene.knex('directory_memberships').where({ user_id: userId })).toEqual([]);
  });
});

describe('a membership of the default workspace', () => {
  test('rises to admin by a mapping, and no mapping lowers it', async () => {
    const { defaultWorkspaceId } = organization;
    const roleThere = async () => (await organization.shown(defaultWorkspaceId)).get(userId)?.role;
    expect(await roleThere()).toBe('member');
    const before = (await organization.shown(defaultWorkspaceId)).get(userId);
    const group = await byDirectory('admin', defaultWorkspaceId);
    expect((await organization.shown(defaultWorkspaceId)).get(userId)).toEqual({ ...before, role: 'admin' });
    await withoutGroup(group);
    expect(await roleThere()).toBe('member');
    await scene.knex('organization_members').where({ user_id: userId }).update({ role: 'org:admin' });
    await byDirectory('member', defaultWorkspaceId);
    expect(await roleThere()).toBe('admin');
  });
});

describe('the member service', () => {
  test('refuses to remove a member kept by the directory, and names the index', async () => {
    await organization.addByHand(team, [userId]);
    await byDirectory('member');
    const other = await organization.addMember('bob@example.com');
    await organization.addByHand(team, [other]);
    await expect(service().remove(actor(), team, [other, userId])).rejects.toMatchObject({
      code: 'invalid_request',
      options: {
        reason: 'kept_by_directory',
        issues: [{ path: 'body.user_ids.1', message: 'is kept in the workspace by the directory' }],
      },
    });
    expect((await organization.shown(team)).size).toBe(2);
  });

  test('adds a manual part with the id of the directory part', async () => {
    await byDirectory('admin');
    const before = await shown();
    const { members, addedCount } = await service().add(actor(), team, [userId]);
    expect([members[0]?.id, members[0]?.role, addedCount]).toEqual([before?.id, 'admin', 1]);
    expect((await service().add(actor(), team, [userId])).addedCount).toBe(0);
  });

  test('lists a member who is there by the directory alone', async () => {
    await byDirectory('admin');
    const { members } = await service().list(organization.id, team, { limit: 10, offset: 0 });
    expect(members).toEqual([expect.objectContaining({ userId, role: 'admin', workspaceId: team })]);
  });
});
