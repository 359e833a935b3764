import type { ChatAdapter, ChatChunk, ChatCompletion, TextRequest } from '../../chat-adapter.ts';
import type { DialectAdapter, DialectObject } from '../../dialect-adapter.ts';
import { UnsupportedFieldsError } from '../../../domain/unsupported-fields.ts';
import { translateStream } from '../translated-stream.ts';
import { allToolsIn } from './additional-tools.ts';
import { FunctionNames } from './function-names.ts';
import { ResponseWriter } from './response-writer.ts';
import { toChatRequest } from './to-chat-request.ts';

/**
 * Serves OpenAI's responses through an endpoint that speaks chat (openai-node, `src/resources/responses/responses.ts`,
 * read 2026-11-21). Fields without a counterpart cause an UnsupportedFieldsError before anything is sent.
 */
export function responsesOverChat(chat: ChatAdapter): DialectAdapter {
  return {
    cacheControl: chat.cacheControl,
    defaultMaxTokens: chat.defaultMaxTokens,
    async create(request, context) {
      const names = new FunctionNames(allToolsIn(request));
      const chatRequest = toChatRequest(request, names);
      return toResponse(
        request,
        names,
        await chat.complete(chatRequest, context).catch(rethrowWithResponsesPaths),
      );
    },
    async stream(request, context) {
      const names = new FunctionNames(allToolsIn(request));
      const chatRequest = toChatRequest(request, names);
      const chunks = await chat.stream(chatRequest, context).catch(rethrowWithResponsesPaths);
      const writer = new ResponseWriter(request, names, (bytes) => context.answer.keep(bytes));
      return translateStream(chunks, writer);
    },
  };
}

/** Translates a whole answer as a stream of one chunk, so that whole and streamed answers are translated alike. */
function toResponse(request: TextRequest, names: FunctionNames, answer: ChatCompletion): DialectObject {
  const writer = new ResponseWriter(request, names);
  const { choices, ...head } = answer;
  const whole = choices.map(({ message, ...choice }) => ({ ...choice, delta: message }));
  writer.translate({ ...head, choices: whole } as ChatChunk);
  return writer.end().at(-1)!['response'] as DialectObject;
}

/**
 * Rethrows the UnsupportedFieldsError of an endpoint that does not accept the chat. Replaces its paths by those of the
 * responses request.
 */
function rethrowWithResponsesPaths(error: unknown): never {
  if (!(error instanceof UnsupportedFieldsError)) throw error;
  throw new UnsupportedFieldsError(
    error.issues.map(({ path, message }) => ({ path: toResponsesPath(path), message })),
  );
}

/** The path of a field in a responses request, by the start of its path in a chat request. */
const PLACES: readonly (readonly [chat: RegExp, responses: string])[] = [
  // The index is dropped, because items and messages have different indexes.
  [/^body\.messages\b.*/, 'body.input'],
  [/^body\.max_(completion_)?tokens\b/, 'body.max_output_tokens'],
  [/^body\.response_format\b/, 'body.text.format'],
  [/^body\.verbosity\b/, 'body.text.verbosity'],
  [/^body\.reasoning_effort\b/, 'body.reasoning.effort'],
  [/^body\.logprobs\b/, 'body.top_logprobs'],
  [/^(body\.tools\.\d+)\.function\b/, '$1'],
];

function toResponsesPath(chatPath: string): string {
  for (const [chat, responses] of PLACES) {
    if (chat.test(chatPath)) return chatPath.replace(chat, responses);
  }
  return chatPath;
}
