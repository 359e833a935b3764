/** Reads a speech request, checks it against the abilities of an endpoint, and builds the upstream's request. */
import type { LiveEndpoint, SpeechCapabilities } from '../../../domain/catalog/catalog.ts';
import { AppError, type Issue } from '../../../domain/errors.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import {
  type RequestedSpeech,
  ownVoice,
  speechIssues,
  type SpeechTurn,
} from '../../../domain/live/speech.ts';
import { readReferences, type ReferencePart } from '../../../domain/live/speech-references.ts';
import type { SpeechRequest } from '../../../providers/speech-adapter.ts';
import type { RoutableBody } from '../../routing/routable-body.ts';
import { withoutGatewayFields } from '../../../providers/upstream-request.ts';

/** A speech request that has passed the contract's validation. */
export type SpeechBody = RoutableBody & {
  input: string | { text: string; voice?: Maybe<string>; instructions?: Maybe<string> }[];
  voice?: Maybe<string>;
  instructions?: Maybe<string>;
  response_format?: Maybe<'mp3' | 'pcm'>;
  speed?: Maybe<number>;
  input_references?: Maybe<ReferencePart[]>;
  user?: Maybe<string>;
};

type Maybe<T> = T | null | undefined;

/**
 * Reads a request; null counts as absent. Throws 400 for an invalid set of references, which the contract refuses too.
 */
export function readSpeech(body: SpeechBody): RequestedSpeech {
  const { input, voice, instructions, response_format: format, speed } = body;
  const references = readReferences(body.input_references ?? []);
  if (!Array.isArray(references)) throw new AppError('invalid_request');
  return {
    input: typeof input === 'string' ? input : input.map(readTurn),
    voice: voice ?? undefined,
    instructions: instructions ?? undefined,
    format: format ?? 'pcm',
    speed: speed ?? undefined,
    references,
  };
}

function readTurn({ text, voice, instructions }: Exclude<SpeechBody['input'], string>[number]): SpeechTurn {
  return { text, voice: voice ?? undefined, instructions: instructions ?? undefined };
}

/** Returns a function that lists the parts of the request that an endpoint does not support. */
export function issuesAt(requested: RequestedSpeech): (endpoint: LiveEndpoint) => Issue[] {
  return ({ speech }) =>
    speech === undefined
      ? [{ path: 'body.model', message: 'does not speak' }]
      : speechIssues(speech, requested);
}

/**
 * Returns the request to one endpoint: with its name of the model, its own voice, and the caller's options for its
 * provider.
 */
export function speechFor(
  { endpoint }: Target,
  requested: RequestedSpeech,
  provider: SpeechBody['provider'],
): SpeechRequest {
  const { speech, upstreamModelId: model } = endpoint;
  const { speed, ...voiced } = speech === undefined ? requested : inOwnVoices(speech, requested);
  // References define the voice themselves, so the endpoint's usual voice is added only without them.
  const defaultVoice = requested.references.length === 0 ? speech?.voices?.[0] : undefined;
  const options = provider?.options?.[endpoint.providerSlug];
  return {
    ...voiced,
    model,
    voice: voiced.voice ?? defaultVoice,
    // Leave out the usual speed, because some endpoints accept no speed at all.
    speed: speed === 1 ? undefined : speed,
    options: options && withoutGatewayFields(options),
  };
}

function inOwnVoices(speech: SpeechCapabilities, requested: RequestedSpeech): RequestedSpeech {
  if (speech.voiceAliases === undefined) return requested;
  const named = <Voiced extends { voice?: string | undefined }>(voiced: Voiced): Voiced =>
    voiced.voice === undefined ? voiced : { ...voiced, voice: ownVoice(speech, voiced.voice) };
  const { input } = requested;
  return { ...named(requested), input: typeof input === 'string' ? input : input.map(named) };
}
