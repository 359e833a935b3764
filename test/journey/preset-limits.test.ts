import { describe, expect, test } from '@jest/globals';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import type { Gateway } from '../support/gateway.ts';
import {
  dataOf,
  getPreset,
  makePreset,
  newSlug,
  pageOf,
  postChat,
  type WirePreset,
} from '../support/presets.ts';
import { useReplica } from '../support/replica.ts';

let gateway: Gateway;
let managers: [Caller, Caller];

useReplica((opened, second) => {
  gateway = opened;
  const { managementKey } = gateway;
  managers = [createCaller(gateway.origin, managementKey), createCaller(second.origin, managementKey)];
});

/** Sends requests at once, every other one to the second replica. Returns the refusals. */
async function refusalsOf(requests: [slug: string, body: object][]) {
  const answers = await Promise.all(
    requests.map(([slug, body], index) => postChat(managers[index % 2]!, slug, body)),
  );
  const refused = answers.filter(({ status }) => status !== 200);
  await Promise.all(answers.filter(({ status }) => status === 200).map((answer) => answer.arrayBuffer()));
  return Promise.all(refused.map(errorOf));
}

describe('a preset with 998 of 1,000 versions', () => {
  test('accepts only two of twenty versions sent at once to two replicas, and answers 409 to the others', async () => {
    const slug = newSlug();
    await makePreset(managers[0], slug);
    await gateway.database.query('update presets set last_version = 998 where slug = $1', [slug]);
    const refused = await refusalsOf(Array.from({ length: 20 }, (_, seed) => [slug, { seed }]));
    expect(refused).toHaveLength(18);
    for (const error of refused) {
      const metadata = { reason: 'too_many_preset_versions', retryable: false };
      expect(error).toMatchObject({ code: 409, metadata });
    }
    const { total_count } = await pageOf(managers[0], `/presets/${slug}/versions`);
    expect(total_count).toBe(3);
    expect((await getPreset(managers[1], slug)).designated_version.version).toBe(1_000);
  });

  test('keeps accepting changes and rollbacks when it is full', async () => {
    const slug = newSlug();
    await makePreset(managers[0], slug, { seed: 7 });
    await gateway.database.query('update presets set last_version = 1000 where slug = $1', [slug]);
    const body = { name: 'Full', designated_version: 1 };
    const changed = await managers[1].call('PATCH', `/presets/${slug}`, { body });
    expect(await dataOf<WirePreset>(changed)).toMatchObject({ name: 'Full' });
    const exact = await managers[0].call('POST', `/presets/${slug}/messages`, {
      body: { model: 'local/echo-1' },
    });
    expect(await errorOf(exact)).toMatchObject({
      code: 409,
      message: 'Resource conflict. Please try again later.',
      metadata: { reason: 'too_many_preset_versions', retryable: false },
    });
  });
});

describe('a workspace with nearly 50 MB of presets', () => {
  const ofPresets = async (): Promise<number> => {
    const { rows } = await gateway.database.query<{ bytes: string }>(
      'select bytes from preset_storage where workspace_id = $1',
      [gateway.workspaceId],
    );
    return Number(rows[0]?.bytes ?? 0);
  };
  const asMigrationCounts = async (): Promise<number> => {
    const { rows } = await gateway.database.query<{ bytes: string }>(
      `select sum(greatest(octet_length(config::text) + coalesce(octet_length(system_prompt), 0), 1024)) bytes
       from preset_versions`,
    );
    return Number(rows[0]!.bytes);
  };
  const setBytes = (bytes: number) => gateway.database.query('update preset_storage set bytes = $1', [bytes]);

  test('accepts only the concurrent versions that fit, and answers 409 to others', async () => {
    await makePreset(managers[0]);
    const before = await ofPresets();
    expect(before).toBe(await asMigrationCounts());
    const large = { model: 'local/echo-1', stop: ['x'.repeat(9_900)] };
    await makePreset(managers[0], newSlug(), large);
    const bytesEach = (await ofPresets()) - before;
    expect(bytesEach).toBeGreaterThan(9_900);
    await setBytes(50_000_000 - 3 * bytesEach);
    const refused = await refusalsOf(Array.from({ length: 16 }, () => [newSlug(), large]));
    expect(refused).toHaveLength(13);
    for (const error of refused) {
      const metadata = { reason: 'too_much_preset_storage', retryable: false };
      expect(error).toMatchObject({ code: 409, metadata });
    }
    expect(await ofPresets()).toBe(50_000_000);
    // A refused preset leaves nothing behind.
    const slug = newSlug();
    await errorOf(await postChat(managers[0], slug, large));
    expect((await managers[0].call('GET', `/presets/${slug}`)).status).toBe(404);
    await setBytes(0);
  });

  test('counts a small version as 1 KiB', async () => {
    const before = await ofPresets();
    await makePreset(managers[0], newSlug(), { seed: 1 });
    expect((await ofPresets()) - before).toBe(1_024);
  });
});
