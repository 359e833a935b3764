/** Sends chat requests to Gemini's `generateContent`, whole or streamed. */
import type { IncomingHttpHeaders } from 'node:http';
import { reasonsBy } from '../../domain/catalog/reasoning-share.ts';
import { type Fields, fieldsIn } from '../../domain/fields.ts';
import { HINTS } from '../../domain/hints.ts';
import { UnsupportedFields } from '../../domain/unsupported-fields.ts';
import { dropLongFacts, malformedAnswer } from '../answer-checks.ts';
import type { LiveCallContext } from '../call-context.ts';
import type { ChatAdapter, ChatChunk, ChatCompletion, TextRequest } from '../chat-adapter.ts';
import { withoutHints } from '../dialects/hints.ts';
import { adaptThoughts } from '../foreign-thoughts.ts';
import { type NoteRepair, noteOf } from '../repairs.ts';
import { withRegisteredMedia } from '../registered-media.ts';
import type { EventReader } from '../streamed-answer.ts';
import type { TextHttp } from '../text-http.ts';
import { withChatSchemas } from '../tool-schemas.ts';
import { CandidateTranslator } from './candidates.ts';
import { toOptions } from './config.ts';
import { toContents } from './contents.ts';
import { createReader, pathOf } from './generate-content.ts';
import { withoutForeignThoughts } from './thoughts.ts';

/** The hints that Gemini does not have. */
const UNKNOWN_HINTS = HINTS.filter((name) => name !== 'seed');

/**
 * Creates the adapter. Written from ai.google.dev/api/generate-content, of which Vercel's client (snapshot of
 * 2026-08-22) was read as a description on 2026-11-28. `connectFor` returns the connection for a service tier, where
 * the tier is no field of the body.
 */
export function createGoogleChat(http: TextHttp, connectFor?: (tier: string) => TextHttp): ChatAdapter {
  const prepare = (request: TextRequest, context: LiveCallContext): { body: Fields; over: TextHttp } => {
    const body = toGemini(request, context);
    const { serviceTier: tier, ...rest } = body;
    if (connectFor === undefined || typeof tier !== 'string') return { body, over: http };
    return { body: rest, over: tier === 'standard' ? http : connectFor(tier) };
  };
  return {
    cacheControl: false,
    async complete(request, context) {
      const path = pathOf(request.model, 'generateContent');
      const { body, over } = prepare(request, context);
      const translator = new CandidateTranslator(noteOf(context));
      const begin = (headers: IncomingHttpHeaders) => translator.begin(headers);
      return readAnswer(await over.post(path, body, context, { begin }), translator);
    },
    async stream(request, context) {
      const path = pathOf(request.model, 'streamGenerateContent?alt=sse');
      const { body, over } = prepare(request, context);
      return over.stream(path, body, context, createChunkReader(noteOf(context)));
    },
  };
}

/** Translates a request. Throws an UnsupportedFieldsError that names every field without a counterpart. */
function toGemini(request: TextRequest, context: LiveCallContext): Fields {
  const kept = adaptThoughts(withoutHints(request, context, UNKNOWN_HINTS), context, withoutForeignThoughts);
  const sent = withRegisteredMedia(withChatSchemas(kept));
  const unsupported = new UnsupportedFields();
  const signsCalls = reasonsBy(context.reasoning) === 'effort';
  const body = {
    ...toContents(fieldsIn(sent['messages']), unsupported, { signsCalls }),
    ...toOptions(sent, unsupported, context.reasoning),
  };
  unsupported.throwIfAny();
  return body;
}

function readAnswer(answer: Fields, translator: CandidateTranslator): ChatCompletion {
  const { choices, ...facts } = translator.translate(answer);
  if (choices.length === 0) throw malformedAnswer('no candidates');
  if (translator.isEmpty) throw malformedAnswer('no content');
  return {
    object: 'chat.completion',
    ...facts,
    choices: choices.map(({ delta, finish_reason: reason, ...choice }) => ({
      ...choice,
      finish_reason: reason ?? (delta.tool_calls === undefined ? 'stop' : 'tool_calls'),
      message: { role: 'assistant', content: null, ...delta },
    })),
  };
}

function createChunkReader(note: NoteRepair): EventReader<ChatChunk> {
  const translator = new CandidateTranslator(note);
  let isFirst = true;
  return createReader({
    begin: (headers) => translator.begin(headers),
    translate(answer, length) {
      const chunk = translator.translate(answer);
      dropLongFacts(length, chunk, ['id', 'model', 'service_tier', 'usage']);
      if (isFirst) for (const { delta } of chunk.choices) delta.role = 'assistant';
      isFirst &&= chunk.choices.length === 0;
      return chunk;
    },
    rest() {
      if (translator.isEmpty) throw malformedAnswer('no content');
      return undefined;
    },
    isWhole: () => translator.isWhole,
  });
}
