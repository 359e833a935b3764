import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { SyncCounts } from '../../../domain/directory/job.ts';
import { NO_CHANGES } from '../../../services/directory/membership/apply-people.ts';
import { previewChanges, writePreview } from '../../../services/directory/membership/preview.ts';
import {
  type DirectoryOrganization,
  type DirectoryScene,
  createDirectoryScene,
} from '../../support/directory-scene.ts';
import {
  applyStage,
  randomDirectory,
  randomStage,
  shuffleDirectory,
} from '../../support/random-directory.ts';

let scene: DirectoryScene;

beforeAll(async () => {
  scene = await createDirectoryScene();
});

afterAll(() => scene.close());

const SEEDS = Array.from({ length: 40 }, (_, seed) => seed + 1);

/** Returns what lines say, without the ids of users who are new. */
async function linesOf(organization: DirectoryOrganization, jobId: string): Promise<string[]> {
  const lines = await organization.lines(jobId);
  return lines
    .map((line) =>
      [line.kind, line.name, line.workspace_id, line.key_hash, line.from_value, line.to_value].join(' '),
    )
    .toSorted();
}

const sum = (all: SyncCounts[]): SyncCounts =>
  Object.fromEntries(
    Object.keys(NO_CHANGES).map((name) => [
      name,
      all.reduce((total, counts) => total + counts[name as keyof SyncCounts], 0),
    ]),
  ) as unknown as SyncCounts;

describe('a preview', () => {
  test.each(SEEDS)('lists for stored people the same changes as applying them (%i)', async (seed) => {
    const { organization, personIds } = await randomDirectory(scene, seed);
    await shuffleDirectory(scene, organization, personIds, seed);
    const request = { organizationId: organization.id, from: { kind: 'stored' as const } };
    const { counts, removals } = await previewChanges(scene.knex, request);
    const [previewed, applied] = [await organization.addJob(), newJob()];
    await writePreview(scene.knex, request, previewed);
    await finish(previewed);
    const jobId = await applied(organization);
    const result = await organization.apply(personIds, { jobId });
    expect(result.counts).toEqual(counts);
    expect(await linesOf(organization, jobId)).toEqual(await linesOf(organization, previewed));
    expect(removals.people.removed).toBe(await losers(organization, jobId));
  });

  test.each(SEEDS)(
    'counts for staged people the same changes as applying them in chunks (%i)',
    async (seed) => {
      const { organization, personIds } = await randomDirectory(scene, seed);
      const jobId = await organization.addJob();
      await randomStage(scene, organization, personIds, jobId, seed);
      const request = { organizationId: organization.id, from: { kind: 'staged' as const, jobId } };
      const { counts, removals } = await previewChanges(scene.knex, request);
      const applied = await applyStage(scene, organization, jobId);
      expect(sum(applied)).toEqual(counts);
      expect(removals.people.removed).toBe(await losers(organization, jobId));
    },
  );
});

const newJob = () => (organization: DirectoryOrganization) => organization.addJob();

async function finish(jobId: string): Promise<void> {
  await scene
    .knex('directory_jobs')
    .where({ id: jobId })
    .update({ state: 'succeeded', finished_at: new Date() });
}

async function losers(organization: DirectoryOrganization, jobId: string): Promise<number> {
  const lines = await organization.lines(jobId);
  return new Set(lines.filter((line) => line.is_removal).map(({ name }) => name)).size;
}
