import { rememberNames } from '../../db/directory/former-names.ts';
import { newUuid } from '../../domain/ids.ts';
import type { SyncCounts } from '../../domain/directory/job.ts';
import type { DirectoryOrganization, DirectoryScene } from './directory-scene.ts';

type Random = <T>(choices: readonly T[]) => T;

/** A small linear congruential generator, so that a seed always makes the same directory. */
function randomOf(seed: number): Random {
  let state = seed * 2_654_435_761 + 1;
  return (choices) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return choices[Math.floor((state / 2 ** 32) * choices.length)]!;
  };
}

const ADDRESSES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => `${name}@example.com`);
const FLAGS = [true, true, false] as const;
const ROLES = ['admin', 'member'] as const;

/** An organization with members, some of whom a directory manages, in workspaces by hand and by mappings, with keys. */
export async function randomDirectory(scene: DirectoryScene, seed: number) {
  const random = randomOf(seed);
  const organization = await scene.newOrganization();
  const workspaces = [
    organization.defaultWorkspaceId,
    await organization.addWorkspace(),
    await organization.addWorkspace(),
  ];
  const members: string[] = [];
  for (const address of ADDRESSES.slice(0, 4)) {
    members.push(await organization.addMember(address, random(['org:admin', 'org:member', 'org:member'])));
  }
  const personIds: string[] = [];
  for (let n = 0; n < 8; n += 1) {
    const facts = { userName: `person${n}`, externalId: `x${n}`, email: random(ADDRESSES) };
    personIds.push(await organization.addPerson({ ...facts, active: random(FLAGS) }));
  }
  for (let n = 0; n < 3; n += 1) await addGroup(organization, personIds, workspaces, random);
  // Half of them are applied: the others are new to the organization.
  await organization.apply(personIds.slice(0, 4));
  const users = [...(await organization.members()).keys()];
  await organization.addByHand(
    workspaces[1]!,
    users.filter(() => random(FLAGS)),
  );
  for (const [n, creatorUserId] of users.entries()) {
    await organization.addKey({
      workspaceId: random(workspaces),
      creatorUserId,
      identitySubject: random([`x${n}`, `PERSON${n}`, 'nobody']),
    });
  }
  return { organization, personIds };
}

async function addGroup(
  organization: DirectoryOrganization,
  personIds: readonly string[],
  workspaces: readonly string[],
  random: Random,
): Promise<void> {
  const mapped = new Set([random(workspaces), random(workspaces)]);
  await organization.addGroup(
    personIds.filter(() => random(FLAGS)),
    [...mapped].map((id) => [id, random(ROLES)]),
  );
}

/** Changes people and groups as pushes do, without applying them. */
export async function shuffleDirectory(
  { knex }: DirectoryScene,
  organization: DirectoryOrganization,
  personIds: readonly string[],
  seed: number,
): Promise<void> {
  const random = randomOf(seed + 1_000);
  for (const id of personIds) {
    const state = random(['as it is', 'active', 'inactive', 'deleted', 'held', 'moved']);
    if (state === 'active') await organization.change(id, { active: true });
    if (state === 'inactive') await organization.change(id, { active: false });
    if (state === 'deleted') await organization.change(id, { deleted_at: new Date() });
    if (state === 'held') await organization.change(id, { active: false, removal_held_at: new Date() });
    if (state === 'moved') await organization.change(id, { email: random(ADDRESSES) });
    if (random(FLAGS)) await knex('directory_group_members').where({ person_id: id }).delete();
  }
}

/** Stages another reading of the directory: some people are missing, some are new, some are others' successors. */
export async function randomStage(
  { knex }: DirectoryScene,
  organization: DirectoryOrganization,
  personIds: readonly string[],
  jobId: string,
  seed: number,
): Promise<void> {
  const random = randomOf(seed + 2_000);
  const people = [...personIds.filter(() => random(FLAGS)), null, null, null];
  const sourceIds: string[] = [];
  for (const [n, personId] of people.entries()) {
    const sourceId = `source${n}`;
    sourceIds.push(sourceId);
    await knex('directory_stage_people').insert({
      job_id: jobId,
      source_id: sourceId,
      person_id: personId,
      external_id: random([null, `x${n}`]),
      user_name: `staged${n}`,
      email: random(ADDRESSES),
      active: random(FLAGS),
      resource: '{}',
    });
  }
  const groups = await knex('directory_groups')
    .where({ organization_id: organization.id })
    .select<{ id: string }[]>('id');
  for (const [n, { id }] of groups.filter(() => random(FLAGS)).entries()) {
    await knex('directory_stage_groups').insert({
      job_id: jobId,
      source_id: `group${n}`,
      group_id: id,
      display_name: `Group ${n}`,
      resource: '{}',
    });
    for (const value of sourceIds.filter(() => random(FLAGS))) {
      await knex('directory_stage_members').insert({ job_id: jobId, group_source_id: `group${n}`, value });
    }
  }
}

/** Stores what is staged and applies it in the order that `applyPeople` asks for: the gone hidden, the active first. */
export async function applyStage(
  { knex }: DirectoryScene,
  organization: DirectoryOrganization,
  jobId: string,
): Promise<SyncCounts[]> {
  const bindings = { jobId, organizationId: organization.id };
  await knex.raw(
    `update directory_people set deleted_at = now() where organization_id = :organizationId and id not in (
       select person_id from directory_stage_people where job_id = :jobId and person_id is not null)`,
    bindings,
  );
  await knex.raw(
    `update directory_groups set deleted_at = now() where organization_id = :organizationId and id not in (
       select group_id from directory_stage_groups where job_id = :jobId)`,
    bindings,
  );
  await knex.raw(REMEMBER_NAMES, bindings);
  const staged = await knex('directory_stage_people')
    .where({ job_id: jobId })
    .orderBy('active', 'desc')
    .orderBy('source_id');
  for (const row of staged) await storePerson(knex, organization, row);
  await knex.raw(
    `delete from directory_group_members where group_id in (
       select id from directory_groups where organization_id = :organizationId)`,
    bindings,
  );
  await knex.raw(
    `insert into directory_group_members (group_id, value, person_id)
     select g.group_id, m.value, p.person_id from directory_stage_members m
     join directory_stage_groups g on g.job_id = m.job_id and g.source_id = m.group_source_id
     join directory_stage_people p on p.job_id = m.job_id and p.source_id = m.value where m.job_id = :jobId`,
    bindings,
  );
  const stored = await knex('directory_people')
    .where({ organization_id: organization.id })
    .orderByRaw('(active and deleted_at is null) desc, created_at, id')
    .select<{ id: string }[]>('id');
  const counts: SyncCounts[] = [];
  for (let from = 0; from < stored.length; from += 3) {
    const chunk = stored.slice(from, from + 3).map(({ id }) => id);
    counts.push((await organization.apply(chunk, { jobId })).counts);
  }
  return counts;
}

const REMEMBER_NAMES = rememberNames({
  from: 'directory_people d join directory_stage_people s on s.person_id = d.id and s.job_id = :jobId',
  userName: 's.user_name',
  externalId: 's.external_id',
});

interface StagedPerson {
  job_id: string;
  source_id: string;
  person_id: string | null;
}

async function storePerson(
  knex: DirectoryScene['knex'],
  organization: DirectoryOrganization,
  { job_id: jobId, source_id: sourceId, person_id: personId, ...facts }: StagedPerson,
): Promise<void> {
  if (personId !== null) return organization.change(personId, { ...facts, deleted_at: null });
  const id = newUuid();
  await knex('directory_people').insert({ ...facts, id, organization_id: organization.id });
  await knex('directory_stage_people')
    .where({ job_id: jobId, source_id: sourceId })
    .update({ person_id: id });
}
