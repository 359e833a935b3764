/** Turns a text into a sequence of tones, which stands for speech. */
import { createHash } from 'node:crypto';
import type { SpeechRequest } from './speech-request.ts';

/** The sound of one frame of 24 ms: a pitch as a multiple of `PITCH_HZ` (0 is silence), and its volume. */
export interface Tone {
  pitch: number;
  /** The volume as a number of halvings: 0 is the loudest. */
  halvings: number;
}

/** The base frequency. A whole number of waves fits a frame, so tones join without a click. */
export const PITCH_HZ = 1_000 / 24;

/** The length of a character: 72 ms at normal speed, fourteen a second, like human speech. */
const FRAMES_PER_CHARACTER = 3;
const VOICE_PITCH = { alto: 10, tenor: 7, bass: 4 };
/** The pitches of letters above the voice: an octave and a half. */
const RANGE = 12;

/**
 * Converts a text to tones, one per letter or digit; other characters are rests. The same request always gives the same
 * melody. References change the voice, instructions make it softer.
 */
export function melodyOf(request: SpeechRequest): Tone[] {
  const { input, speed } = request;
  const turns: Exclude<SpeechRequest['input'], string> =
    typeof input === 'string' ? [{ text: input }] : input;
  return turns.flatMap((turn) => {
    const { text, voice = request.voice ?? 'alto', instructions = request.instructions } = turn;
    const base = pitchOfReferences(request) ?? VOICE_PITCH[voice];
    return tonesOf(text, base, instructions === undefined ? 1 : 2, speed);
  });
}

function tonesOf(text: string, base: number, halvings: number, speed: number): Tone[] {
  const characters = Array.from(text);
  const frames = Math.max(1, Math.round((characters.length * FRAMES_PER_CHARACTER) / speed));
  return Array.from({ length: frames }, (_, frame) => {
    const place = Math.floor((frame * speed) / FRAMES_PER_CHARACTER);
    const character = characters[Math.min(place, characters.length - 1)] ?? ' ';
    const isSpoken = /[\p{L}\p{N}]/u.test(character);
    return { pitch: isSpoken ? base + ((character.codePointAt(0) ?? 0) % RANGE) : 0, halvings };
  });
}

function pitchOfReferences({ input_references: references }: SpeechRequest): number | undefined {
  if (references.length === 0) return undefined;
  const digest = createHash('sha256').update(JSON.stringify(references)).digest();
  return 2 + ((digest[0] ?? 0) % 16);
}
