import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { billOf, finishedClip } from '../../support/metered-jobs.ts';
import { expectBalancedBooks } from '../../support/expect-one-end.ts';
import { startSubmitScene, type SubmitScene } from './submit-scene.ts';

let scene: SubmitScene;

beforeAll(async () => {
  scene = await startSubmitScene();
});
afterAll(() => scene.close());

const [DEDUCTION, TICKS] = ['local/clip-deduction', 'local/clip-ticks'];
const MODALITIES = 'local/clip-modalities';

describe('a completed job', () => {
  test.each([
    // A text with more digits than the ledger keeps.
    [DEDUCTION, '1.2500004', { billable_units: '1.25' }, '4375000', null],
    [DEDUCTION, '-1.75', null, '6125000', 'not_reported'],
    [DEDUCTION, '4000.5', { billable_units: '4000.5' }, '14001750000', 'above_estimate'],
    // A tick is a tenth of a nanodollar, and half a nanodollar is rounded up.
    [TICKS, 75_000_005, { billable_units: '75000005' }, '7500001', null],
    [TICKS, '75000004', { billable_units: '75000004' }, '7500000', null],
    [TICKS, 0, { billable_units: '0' }, '0', 'below_estimate'],
    [TICKS, 7e13, { billable_units: '70000000000000' }, '7000000000000', 'above_estimate'],
    [TICKS, 1e300, null, '5000000', 'not_reported'],
    // The list says nothing about sound and text if the tokens of the video are no number.
    [MODALITIES, 'many', { input_tokens: '2' }, '94911000', 'not_reported'],
    [
      MODALITIES,
      20_000,
      { video_tokens: '20000', audio_tokens: '25', input_tokens: '2', text_tokens: '12' },
      '350411000',
      'above_estimate',
    ],
  ])('costs what its provider reports: %s with %p', async (model, amount, report, billed, flag) => {
    const jobId = await finishedClip(scene, model, [{ kind: 'charge', amount }]);
    expect(await billOf(scene.gateway, jobId)).toMatchObject({ report, billed, flag });
  });

  test('keeps the ledger in agreement', () => expectBalancedBooks(scene.gateway));
});
