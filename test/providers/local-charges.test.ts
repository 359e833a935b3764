import { describe, expect, test } from '@jest/globals';
import { readLocalCharges } from '../../providers/local/local-charges.ts';

const entry = (modality: unknown, tokens: unknown): object => ({ modality, tokens });
const usageOf = (...entries: unknown[]): object => ({ usage: { output_tokens_by_modality: entries } });

describe('readLocalCharges', () => {
  test.each<[string, object, object | undefined]>([
    ['units as text', { data: { final_unit_deduction: '1.75' } }, { billable_units: '1.75' }],
    ['units as a number', { data: { final_unit_deduction: 2 } }, { billable_units: '2' }],
    ['ticks', { usage: { cost_in_usd_ticks: 400_000_000 } }, { billable_units: '400000000' }],
    [
      'tokens by modality, in any case',
      usageOf(entry('VIDEO', 57_920), entry('audio', 250), entry('Text', 5)),
      { video_tokens: '57920', audio_tokens: '250', text_tokens: '5' },
    ],
    [
      'no sound and no text, if the list has only the video',
      usageOf(entry('video', 57_920)),
      { video_tokens: '57920', audio_tokens: '0', text_tokens: '0' },
    ],
    [
      'the sum of two entries of a modality',
      usageOf(entry('video', 1), entry('video', '2')),
      { video_tokens: '3', audio_tokens: '0', text_tokens: '0' },
    ],
    [
      'nothing of a modality whose count is no number',
      usageOf(entry('video', 1), entry('audio', -4), entry('text', 'five')),
      { video_tokens: '1' },
    ],
    ['nothing of a list without the video', usageOf(entry('audio', 25), entry('text', 5)), undefined],
    ['nothing of a list with nonsense', usageOf(null, 7, entry(3, 4), []), undefined],
    ['nothing of fields with other types', { usage: 7, cost: [], data: 'no' }, undefined],
  ])('reads %s', (_, video, report) => {
    expect(readLocalCharges(video, {})).toEqual(report);
  });

  test('reads nothing in an answer that is no object', () => {
    expect(readLocalCharges(null, {})).toBeUndefined();
  });
});
