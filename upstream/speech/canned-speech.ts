/** Provides speech answers that are computed once, for benchmarks of the gateway. */
import { type CannedAnswer, createCannedAnswers, marksOf, toCannedAnswer } from '../canned-answer.ts';
import { mp3Frame } from './mp3-frame.ts';
import { pcmFrame } from './pcm-frame.ts';
import { CANNED_SPEECH_MODEL } from './speech-request.ts';

export const SPEECH_PATH = '/v1/audio/speech';

/** The frames of 2.4 seconds of one tone. */
const FRAMES = 100;
const TONE = { pitch: 10, halvings: 1 };
const MP3 = toCannedAnswer('audio/mpeg', repeat(mp3Frame(TONE)));
const PCM = toCannedAnswer('audio/pcm', repeat(pcmFrame(TONE)));

export const CANNED_SPEECH = createCannedAnswers('speech', CANNED_SPEECH_MODEL, {
  usual: MP3,
  marks: marksOf('response_format', '"pcm"'),
  marked: PCM,
});

export function cannedSpeech(format: 'mp3' | 'pcm'): CannedAnswer {
  return format === 'pcm' ? PCM : MP3;
}

function repeat(frame: Buffer): Buffer {
  return Buffer.concat(Array.from({ length: FRAMES }, () => frame));
}
