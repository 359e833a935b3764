/** Answers speech requests to the local upstream. */
import { faultsIn } from '../control.ts';
import { type Reply, streamedReply } from '../reply.ts';
import type { Capability, Exchange } from '../route.ts';
import { cannedSpeech, SPEECH_PATH } from './canned-speech.ts';
import { melodyOf, type Tone } from './melody.ts';
import { mp3Frame } from './mp3-frame.ts';
import { pcmFrame } from './pcm-frame.ts';
import {
  CANNED_SPEECH_MODEL,
  parseSpeechRequest,
  type SpeechRequest,
  UNITS_SPEECH_MODEL,
} from './speech-request.ts';

type Format = SpeechRequest['response_format'];

const CONTENT_TYPES: Record<Format, string> = { mp3: 'audio/mpeg', pcm: 'audio/pcm' };
const FRAME_OF = { mp3: mp3Frame, pcm: pcmFrame };
/** The frames of one piece of the stream: 240 ms. */
const FRAMES_PER_PIECE = 10;

/**
 * Serves OpenAI's `POST /v1/audio/speech`, with tones instead of a voice. Written from the vendor's published reference
 * (openai-node, `src/resources/audio/speech.ts`, read 2026-11-21). `speech-1` follows the rules of `melody.ts`; the
 * answer of `speech-canned` never changes. Extras of this server: turns, references, and `faults` in a request, which
 * affect only that request.
 */
export function createSpeechCapability(): Capability {
  return {
    routes: [{ method: 'POST', path: SPEECH_PATH, target: 'speech', faults: faultsIn, handle: speak }],
  };
}

async function speak(exchange: Exchange): Promise<Reply> {
  const request = parseSpeechRequest((await exchange.fields()).values);
  const format = request.response_format;
  const headers = { 'content-type': CONTENT_TYPES[format], 'x-request-id': `req_${crypto.randomUUID()}` };
  if (request.model === UNITS_SPEECH_MODEL) {
    Object.assign(headers, { 'character-cost': `${Math.ceil(charactersOf(request) / 2)}` });
  }
  if (request.model === CANNED_SPEECH_MODEL) return { status: 200, ...cannedSpeech(format) };
  return streamedReply(piecesOf(melodyOf(request), format), headers);
}

/** Returns the number of spoken characters. `speech-units` reports half as many units, in ElevenLabs' header. */
function charactersOf({ input }: SpeechRequest): number {
  const texts = typeof input === 'string' ? [input] : input.map(({ text }) => text);
  return texts.reduce((sum, text) => sum + Array.from(text).length, 0);
}

function piecesOf(melody: Tone[], format: Format): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < melody.length; at += FRAMES_PER_PIECE) {
    pieces.push(Buffer.concat(melody.slice(at, at + FRAMES_PER_PIECE).map(FRAME_OF[format])));
  }
  return pieces;
}
