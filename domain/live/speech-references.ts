/** Checks the voice references of a speech request and pairs clips with their transcripts. */
import type { SpeechReference } from './speech.ts';

/** The parts of `input_references`, as on the wire. */
export type ReferencePart =
  | { type: 'input_audio'; input_audio: { data: string; format?: string | null | undefined } }
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } };

const MAX_CLIPS = 3;

/** An invalid combination of parts, with the index of the part at fault. */
export interface ReferenceProblem {
  index: number;
  message: string;
}

/**
 * Returns the references: up to three clips, each optionally followed by its transcript, or one picture. The transcript
 * of a single clip may also precede it. An empty list has no references.
 */
export function readReferences(parts: readonly ReferencePart[]): SpeechReference[] | ReferenceProblem {
  const picture = parts.find((part) => part.type === 'image_url');
  if (picture !== undefined) {
    if (parts.length === 1) return [{ kind: 'image', url: picture.image_url.url }];
    return { index: 1, message: 'must not come together with a picture: one picture, or clips' };
  }
  return readClips(inOrder(parts));
}

function readClips(parts: readonly ReferencePart[]): SpeechReference[] | ReferenceProblem {
  const clips: Extract<SpeechReference, { kind: 'audio' }>[] = [];
  for (const [index, part] of parts.entries()) {
    if (part.type === 'input_audio') {
      if (clips.length === MAX_CLIPS) return { index, message: `must be one of at most ${MAX_CLIPS} clips` };
      const { data, format } = part.input_audio;
      clips.push({ kind: 'audio', data, format: format ?? undefined });
    } else if (part.type === 'text') {
      const clip = clips.at(-1);
      if (clip === undefined || clip.transcript !== undefined) {
        return { index, message: 'must follow the clip that it is the transcript of' };
      }
      clip.transcript = part.text;
    }
  }
  return clips;
}

/** Puts a transcript after the single clip that it precedes. */
function inOrder(parts: readonly ReferencePart[]): readonly ReferencePart[] {
  const [first, second] = parts;
  return parts.length === 2 && first?.type === 'text' && second?.type === 'input_audio'
    ? [second, first]
    : parts;
}
