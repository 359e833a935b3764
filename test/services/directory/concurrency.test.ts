import { describe, expect, test } from '@jest/globals';
import { runKeys } from '../../../admin/keys.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Principal } from '../../../domain/principal.ts';
import { updateKey } from '../../../services/accounts/keys/change-key.ts';
import { createKey } from '../../../services/accounts/keys/create-key.ts';
import { createMemberService } from '../../../services/accounts/workspaces/member-service.ts';
import { removeWorkspace } from '../../../services/remove-workspace.ts';
import {
  type DirectoryOrganization,
  type DirectoryScene,
  useFreshOrganization,
} from '../../support/directory-scene.ts';
import { eventually } from '../../support/eventually.ts';
import { rowsOf } from '../../../db/postgres/statement.ts';
import { openTransaction } from '../../support/handles.ts';

let scene: DirectoryScene;
let organization: DirectoryOrganization;

useFreshOrganization((...opened) => ([scene, organization] = opened), 20);

const unused = (): never => {
  throw new Error('nothing is remembered here');
};

/** Makes a key as a request of this key's owner does. */
async function makeKey(facts: {
  authorHash?: string;
  author?: string;
  creatorUserId?: string;
  workspaceId?: string;
}): Promise<string> {
  const principal: Principal = {
    keyId: 1,
    keyHash: facts.authorHash ?? '0'.repeat(64),
    kind: 'management',
    label: 'sk-slc-…',
    organizationId: organization.id,
    workspaceId: organization.defaultWorkspaceId,
    ...(facts.author === undefined ? {} : { creatorUserId: facts.author }),
  };
  const draft = {
    name: 'A key',
    limit: { limitNanos: null, limitReset: null, includeByokInLimit: false },
    ...(facts.creatorUserId === undefined ? {} : { creatorUserId: facts.creatorUserId }),
    ...(facts.workspaceId === undefined ? {} : { workspaceId: facts.workspaceId }),
  };
  let hash = '';
  await createKey(
    { knex: scene.knex, encryption: { seal: unused, open: unused } },
    { principal, client: { requestId: 'req_1' } },
    draft,
    {
      respond: ({ key }) => {
        hash = key.hash;
        return { status: 201, body: {} };
      },
    },
  );
  return hash;
}

async function addMember(userName: string): Promise<{ personId: string; userId: string }> {
  const personId = await organization.addPerson({ userName });
  await organization.apply([personId]);
  return { personId, userId: (await organization.userOf(personId))! };
}

/** How many connections of this database wait for a lock. */
const waiting = async (): Promise<number> =>
  (
    await rowsOf(
      scene.knex,
      {},
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
  ).length;

const untilWaiting = (count: number): Promise<true> =>
  eventually('others waiting', async () => ((await waiting()) === count ? true : undefined), 15_000);

describe('a key made for an owner who leaves', () => {
  test.each(['names the owner', 'is made by a key of the owner'])(
    'ends disabled like the other keys when it %s',
    async (how) => {
      const ada = await addMember('ada');
      await organization.change(ada.personId, { active: false });
      // The key is there and not committed: its audit row has to wait.
      const obstacle = await openTransaction(scene.knex);
      await obstacle.handle.raw('lock table audit_log in share mode');
      const making = makeKey(
        how === 'names the owner' ? { creatorUserId: ada.userId } : { author: ada.userId },
      );
      await untilWaiting(1);
      const leaving = organization.apply([ada.personId]);
      await untilWaiting(2);
      await obstacle.commit();
      const key = await making;
      expect((await leaving).counts).toMatchObject({ membersRemoved: 1, keysDisabled: 1 });
      expect(await scene.knex('api_keys').where({ hash: key }).first()).toMatchObject({ disabled: true });
    },
  );

  test('fails to be made once the owner has left', async () => {
    const ada = await addMember('ada');
    const authorHash = await organization.addKey({
      kind: 'management',
      workspaceId: organization.defaultWorkspaceId,
      creatorUserId: ada.userId,
    });
    await organization.change(ada.personId, { active: false });
    await organization.apply([ada.personId]);
    await expect(makeKey({ author: ada.userId, authorHash })).rejects.toMatchObject({
      code: 'invalid_credential',
    });
    await expect(makeKey({ creatorUserId: ada.userId })).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await organization.enabledKeys()).toEqual([]);
  });
});

describe('a key that is changed while its owner leaves', () => {
  /** Lets Ada leave while a change of a key is made and not committed: its audit row has to wait. */
  const leaveDuring = async (
    personId: string,
    makeChange: () => Promise<unknown>,
  ): ReturnType<DirectoryOrganization['apply']> => {
    const obstacle = await openTransaction(scene.knex);
    await obstacle.handle.raw('lock table audit_log in share mode');
    const changing = makeChange();
    await untilWaiting(1);
    const leaving = organization.apply([personId]);
    await untilWaiting(2);
    await obstacle.commit();
    await changing;
    return leaving;
  };
  const patch = (hash: string, changes: Parameters<typeof updateKey>[3]): Promise<unknown> =>
    scene.knex.transaction((transaction) =>
      updateKey(transaction, { organizationId: organization.id }, hash, changes),
    );

  test.each([
    ['a request', (hash: string) => patch(hash, { disabled: false })],
    ['an operator', (hash: string) => runKeys(scene.knex, ['enable', hash])],
  ])('ends disabled though %s has just enabled it', async (_, enable) => {
    const ada = await addMember('ada');
    const workspaceId = organization.defaultWorkspaceId;
    const facts = { workspaceId, identitySubject: 'ada', creatorUserId: ada.userId };
    const key = await organization.addKey(facts);
    await runKeys(scene.knex, ['disable', key]);
    await organization.change(ada.personId, { active: false });
    const { counts } = await leaveDuring(ada.personId, () => enable(key));
    expect(counts).toMatchObject({ membersRemoved: 1, keysDisabled: 1 });
    expect(await organization.enabledKeys()).toEqual([]);
  });

  test.each([
    ['is disabled when it has just moved to', true],
    ['stays active when it has just moved from', false],
  ])('the key %s the workspace that the owner loses', async (_, movesThere) => {
    const workspaceId = await organization.addWorkspace();
    const ada = await addMember('ada');
    const group = await organization.addGroup([ada.personId], [[workspaceId, 'member']]);
    await organization.apply([ada.personId]);
    const [from, to] = movesThere
      ? [organization.defaultWorkspaceId, workspaceId]
      : [workspaceId, organization.defaultWorkspaceId];
    const key = await organization.addKey({ workspaceId: from, creatorUserId: ada.userId });
    await scene.knex('directory_group_members').where({ group_id: group }).delete();
    const { counts } = await leaveDuring(ada.personId, () => patch(key, { workspaceId: to }));
    expect(counts).toMatchObject({ workspaceMembersRemoved: 1, keysDisabled: movesThere ? 1 : 0 });
    expect(await organization.enabledKeys()).toEqual(movesThere ? [] : [key]);
  });
});

describe('the deletion of a workspace', () => {
  const remove = (id: string) =>
    scene.knex.transaction((transaction) =>
      removeWorkspace(transaction, { organizationId: organization.id }, id),
    );

  test('deletes its mappings and directory memberships, with an audit row for a mapping', async () => {
    const workspaceId = await organization.addWorkspace();
    const ada = await addMember('ada');
    await organization.addGroup([ada.personId], [[workspaceId, 'member']]);
    await organization.apply([ada.personId]);
    const [{ id: mappingId }] = (await scene.knex('directory_mappings').select('id')) as [{ id: string }];
    await remove(workspaceId);
    expect(await organization.audited()).toContain(`deleteScimGroupMapping scim/group-mappings/${mappingId}`);
    for (const table of ['directory_mappings', 'directory_memberships', 'directory_left_memberships']) {
      expect(await scene.knex(table)).toEqual([]);
    }
  });

  test('leaves nothing of the workspace beside concurrent syncs', async () => {
    const ids = await organization.addPeople(...Array.from({ length: 20 }, (_, n) => `person${n}`));
    const workspaceIds = await Promise.all(Array.from({ length: 5 }, () => organization.addWorkspace()));
    await organization.addGroup(
      ids,
      workspaceIds.map((id) => [id, 'member']),
    );
    await Promise.all([...ids.map((id) => organization.apply([id])), ...workspaceIds.map(remove)]);
    expect(await scene.knex('directory_memberships')).toEqual([]);
    expect(await scene.knex('directory_mappings')).toEqual([]);
  });
});

test('syncs, keys, manual members and deletions of workspaces never deadlock', async () => {
  const root = await organization.addMember('root@example.com', 'org:admin');
  const people = [];
  for (let n = 0; n < 12; n += 1) people.push(await addMember(`person${n}`));
  const workspaceIds = await Promise.all(Array.from({ length: 6 }, () => organization.addWorkspace()));
  const personIds = people.map(({ personId }) => personId);
  const userIds = people.map(({ userId }) => userId);
  await organization.addGroup(
    personIds,
    workspaceIds.slice(0, 4).map((id) => [id, 'member']),
  );
  const actor = { organizationId: organization.id };
  const service = createMemberService({ knex: scene.knex });
  const mayFail = async (work: Promise<unknown>): Promise<void> => {
    await work.catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
    });
  };
  const toggle = async (round: number): Promise<void> => {
    const chosen = personIds.filter((_, n) => (n + round) % 3 === 0);
    await scene
      .knex('directory_people')
      .whereIn('id', chosen)
      .update({ active: round % 2 === 0 });
    await organization.apply(personIds);
  };
  const byHand = async (round: number): Promise<void> => {
    const workspaceId = workspaceIds[round % 6]!;
    const users = [...userIds.filter((_, n) => (n + round) % 2 === 0), root];
    await mayFail(service.add(actor, workspaceId, users));
    await mayFail(service.remove(actor, workspaceId, users));
  };
  const makeKeys = async (round: number): Promise<void> => {
    const [workspaceId, creatorUserId] = [workspaceIds[(round + 3) % 6]!, userIds[round % 12]!];
    await mayFail(makeKey({ workspaceId, creatorUserId }));
  };
  const deleteWorkspace = (round: number): Promise<void> =>
    round % 10 === 9
      ? mayFail(
          scene.knex.transaction((transaction) =>
            removeWorkspace(transaction, actor, workspaceIds[4 + (round % 2)]!),
          ),
        )
      : Promise.resolve();
  const loop = async (work: (round: number) => Promise<void>): Promise<void> => {
    for (let round = 0; round < 30; round += 1) await work(round);
  };
  await Promise.all([
    loop(toggle),
    loop(toggle),
    loop(byHand),
    loop(byHand),
    loop(makeKeys),
    loop(makeKeys),
    loop(deleteWorkspace),
  ]);
  // Whoever is away at the end has no enabled key: none was missed.
  await scene.knex('directory_people').whereIn('id', personIds.slice(0, 6)).update({ active: false });
  await organization.apply(personIds);
  const present = [...(await organization.members()).keys()];
  const left = await scene.knex('api_keys').where({ disabled: false }).whereNotIn('creator_user_id', present);
  expect(left).toEqual([]);
});
