/** Answers requests for speech. */
import type { speechOperations } from '../../contract/live/speech.ts';
import type { SpeechService } from '../../services/live/speech/speech-service.ts';
import type { RoutesOf } from '../http/route.ts';
import { answerHeaders, toLiveCall } from './to-live-call.ts';

const CONTENT_TYPES = { mp3: 'audio/mpeg', pcm: 'audio/pcm;rate=24000' };

export const speechRoutes: RoutesOf<typeof speechOperations, { speech: SpeechService }> = {
  /** Handles `POST /audio/speech`: streams a text as spoken audio. */
  createSpeech: async (call, { services }) => {
    const { format, audio, ...facts } = await services.speech.speak(toLiveCall(call));
    const headers = {
      'content-type': CONTENT_TYPES[format],
      ...answerHeaders(facts),
      // Proxies such as nginx would otherwise buffer the sound.
      'x-accel-buffering': 'no',
    };
    return { status: 200, headers, body: audio };
  },
};
