import { describe, expect, test } from '@jest/globals';
import { type Caller, createCaller } from '../support/caller.ts';
import type { Gateway } from '../support/gateway.ts';
import { getPreset, makePreset, newSlug, postChat, type WirePresetVersion } from '../support/presets.ts';
import { useReplica } from '../support/replica.ts';

let gateway: Gateway;
let managers: [Caller, Caller];

useReplica((opened, second) => {
  gateway = opened;
  const { managementKey } = gateway;
  managers = [createCaller(gateway.origin, managementKey), createCaller(second.origin, managementKey)];
});

async function versionsOf(slug: string): Promise<WirePresetVersion[]> {
  const response = await managers[0].call('GET', `/presets/${slug}/versions?limit=100`);
  return (JSON.parse(await response.text()) as { data: WirePresetVersion[] }).data;
}

describe.each([2, 20])('%d concurrent writers on two replicas', (writers) => {
  test.each([
    ['of a new preset', false],
    ['of one that is there', true],
  ])('lose no version, and number them without a gap: %s', async (_what, exists) => {
    const slug = newSlug();
    if (exists) await makePreset(managers[0], slug, { seed: -1 });
    const answers = await Promise.all(
      Array.from({ length: writers }, (_, seed) =>
        postChat(managers[seed % 2 === 0 ? 0 : 1], slug, { seed }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(writers).fill(200));
    const answered = await Promise.all(
      answers.map(async (answer) => {
        const { data } = JSON.parse(await answer.text()) as {
          data: { designated_version: WirePresetVersion };
        };
        return data.designated_version;
      }),
    );
    const versions = await versionsOf(slug);
    const numbers = Array.from({ length: writers + (exists ? 1 : 0) }, (_, index) => index + 1);
    expect(versions.map(({ version }) => version)).toEqual(numbers);
    // Each writer was told of the version that has what it wrote.
    expect(answered.map(({ config }) => config['seed'])).toEqual(answers.map((_, seed) => seed));
    for (const version of answered) expect(versions).toContainEqual(version);
    expect((await getPreset(managers[1], slug)).designated_version).toEqual(versions.at(-1));
  });
});

test('writers concurrent with an archiver get 200 with a version, or 409 without', async () => {
  const slug = newSlug();
  await makePreset(managers[0], slug);
  const [removed, ...answers] = await Promise.all([
    managers[1].call('DELETE', `/presets/${slug}`),
    ...Array.from({ length: 10 }, (_, seed) => postChat(managers[0], slug, { seed })),
  ]);
  expect(removed.status).toBe(200);
  expect((await postChat(managers[1], slug, {})).status).toBe(409);
  const kept = answers.filter(({ status }) => status === 200).length;
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(10 - kept);
  expect(await versionsOf(slug)).toHaveLength(kept + 1);
  expect((await getPreset(managers[0], slug)).status).toBe('archived');
});
