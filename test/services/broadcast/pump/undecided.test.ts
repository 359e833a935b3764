import { describe, expect, test } from '@jest/globals';
import type { DestinationSettings } from '../../../../domain/broadcast/destination.ts';
import type { BroadcastContent } from '../../../../domain/broadcast/event.ts';
import type { FilterRule } from '../../../../domain/broadcast/filter-rules.ts';
import { type BroadcastScene, generationsIn, type Place } from '../../../support/broadcast-scene.ts';
import { eventually } from '../../../support/eventually.ts';
import { usePumpScene } from '../../../support/pump-scene.ts';
import type { Receiver } from '../../../support/receiver.ts';

let scene: BroadcastScene;
let receiver: Receiver;
let place: Place;
usePumpScene((fresh) => ({ scene, receiver, place } = fresh));

const ANNOUNCED = { broadcast: { hasContent: true } };

const contentOf = (question: string): BroadcastContent => ({
  input: [{ role: 'user', content: question }],
  output: [],
  outputText: null,
});

const addWebhook = (change: Partial<DestinationSettings> = {}): Promise<string> =>
  scene.addDestination(place, { type: 'webhook', config: { url: receiver.url, method: 'POST' } }, change);

const filterBy = (...rules: FilterRule[]): Partial<DestinationSettings> => ({
  filterRules: { enabled: true, groups: [{ logic: 'and', rules }] },
});

const bodies = (): string[] => receiver.received.map(({ body }) => body);
const receivedIds = (): string[] => bodies().flatMap(generationsIn);

const countsAsUndecided = (id: string, count: number): Promise<unknown> =>
  eventually(`${count} undecided generations`, async () =>
    (await scene.progress(id))['undecided'] === count ? true : undefined,
  );

async function keptRows(id: string): Promise<number> {
  const question = 'select from broadcast_undecided where destination_id = $1';
  return (await scene.database.query(question, [id])).rowCount ?? 0;
}

/** Runs a pump until this many generations are undecided, and then stops it. */
async function pumpUntilUndecided(id: string, count: number): Promise<void> {
  const stop = new AbortController();
  const pumping = scene.pump(id, { lateContentMs: 60_000, stop: stop.signal });
  await countsAsUndecided(id, count);
  stop.abort();
  expect(await pumping).toEqual({ kind: 'handed_over' });
}

describe('a filter on missing content', () => {
  const CONTAINS = filterBy({ field: 'input', operator: 'contains', value: 'wanted' });
  const CONTAINS_NOT = filterBy({ field: 'input', operator: 'not_contains', value: 'forbidden' });
  const EVERY_RULE: [string, Partial<DestinationSettings>][] = [
    ['contains', CONTAINS],
    ['not_contains', CONTAINS_NOT],
    ['not_exists', filterBy({ field: 'output', operator: 'not_exists' })],
    ['not_equals', filterBy({ field: 'output', operator: 'not_equals', value: 'x' })],
  ];

  test.each(EVERY_RULE)('%s sends nothing, and counts the generations as undecided', async (_, filter) => {
    const id = await addWebhook(filter);
    await scene.record(place, 2, ANNOUNCED);
    await scene.record(place, 1);
    expect(await scene.pump(id)).toEqual({ kind: 'idle' });
    expect(bodies()).toEqual([]);
    expect(await scene.progress(id)).toMatchObject({ delivered: 0, without_content: 0, undecided: 3 });
    expect(await keptRows(id)).toBe(0);
  });

  test('sends nothing by what is left of a cut prompt, and keeps the generation counted', async () => {
    const id = await addWebhook(CONTAINS_NOT);
    const generations = await scene.record(place, 2, ANNOUNCED);
    await scene.addContent([generations[0]!], {
      ...contentOf('the newest'),
      isTruncated: true,
      wholeFields: [],
    });
    await scene.addContent([generations[1]!], contentOf('no word'));
    expect(await scene.pump(id)).toEqual({ kind: 'idle' });
    expect(receivedIds()).toEqual([generations[1]]);
    expect(await scene.progress(id)).toMatchObject({ delivered: 1, undecided: 1 });
    expect(await keptRows(id)).toBe(0);
  });

  test('decides by other rules where these are enough', async () => {
    const id = await addWebhook(
      filterBy(
        { field: 'model', operator: 'equals', value: 'another model' },
        { field: 'input', operator: 'contains', value: 'wanted' },
      ),
    );
    await scene.record(place, 1, ANNOUNCED);
    // A wait for the content would end with the time limit of the test.
    expect(await scene.pump(id, { contentWaitMs: 60_000, contentPollMs: 60_000 })).toEqual({ kind: 'idle' });
    expect(await scene.progress(id)).toMatchObject({ undecided: 0 });
  });

  test.each<[string, Partial<DestinationSettings>, string[], string[]]>([
    ['contains', CONTAINS, ['a wanted word'], ['no word']],
    ['not_contains', CONTAINS_NOT, ['no word'], ['a forbidden word']],
  ])('%s decides when the content comes later', async (_, filter, passing, failing) => {
    const id = await addWebhook(filter);
    const generations = await scene.record(place, 3, ANNOUNCED);
    const pumping = scene.pump(id, { lateContentMs: 60_000 });
    await countsAsUndecided(id, 3);
    // The pump has passed them, and does not make later ones wait.
    const [later] = await scene.record(place, 1, ANNOUNCED);
    await scene.addContent([later!], contentOf(passing[0]!));
    await receiver.next(1);
    expect(receivedIds()).toEqual([later]);
    for (const [n, words] of [...passing, ...failing].entries()) {
      await scene.addContent([generations[n]!], contentOf(words));
    }
    await countsAsUndecided(id, 1);
    await scene.database.query(`update broadcast_undecided set passed_at = passed_at - interval '1 hour'`);
    expect(await pumping).toEqual({ kind: 'idle' });
    expect(receivedIds()).toEqual([later, generations[0]]);
    expect(bodies().join()).toContain(passing[0]);
    expect(await scene.progress(id)).toMatchObject({ state: 'idle', delivered: 2, undecided: 1 });
    expect(await keptRows(id)).toBe(0);
  });

  test('decides after a restart of the pump, except on content it cannot decrypt', async () => {
    const id = await addWebhook(CONTAINS_NOT);
    const generations = await scene.record(place, 2, ANNOUNCED);
    await pumpUntilUndecided(id, 2);
    await scene.addContent(generations, contentOf('no word'));
    const altered = `update broadcast_bodies set sealed = 'v1.x.y.z' where generation_id = $1`;
    await scene.database.query(altered, [generations[0]]);
    expect(await scene.pump(id)).toEqual({ kind: 'idle' });
    expect(receivedIds()).toEqual([generations[1]]);
    expect(await scene.progress(id)).toMatchObject({ delivered: 1, undecided: 1 });
    expect(await keptRows(id)).toBe(0);
  });

  test('does not hold up the log when the tool refuses a late generation', async () => {
    const id = await addWebhook(CONTAINS);
    const [late] = await scene.record(place, 1, ANNOUNCED);
    await pumpUntilUndecided(id, 1);
    await scene.addContent([late!], contentOf('a wanted word'));
    const [next] = await scene.record(place, 1, ANNOUNCED);
    await scene.addContent([next!], contentOf('a wanted word'));
    // Refuses each batch with the late generation, and takes the others.
    Object.defineProperty(receiver.answers, 0, {
      get: () => ({ status: bodies().at(-1)!.includes(late!) ? 400 : 200 }),
    });
    expect(await scene.pump(id)).toEqual({ kind: 'idle' });
    expect(receivedIds()).toEqual([late, next]);
    expect(await scene.progress(id)).toMatchObject({ delivered: 1, dead_letters: 1, undecided: 0 });
  });
});
