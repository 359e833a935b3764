/** Adapts the gateway's messages requests to Anthropic's API. */
import type { LiveCallContext } from '../call-context.ts';
import type { TextRequest } from '../chat-adapter.ts';
import type { DialectAdapter, DialectEvent } from '../dialect-adapter.ts';
import type { TextHttp } from '../text-http.ts';
import { adaptThoughts, withoutUnsignedThoughts } from '../foreign-thoughts.ts';
import { withRegisteredMedia } from '../registered-media.ts';
import { noteOf, type NoteRepair } from '../repairs.ts';
import { withMessagesSchemas } from '../tool-schemas.ts';
import { toAcceptable } from './acceptable-request.ts';
import { errorOf, readEvent, readMessage } from './message-checks.ts';
import { type Fields, isFields } from '../../domain/fields.ts';
import { dropLongFacts, errorOfBody } from '../answer-checks.ts';
import type { EventReader } from '../streamed-answer.ts';
import { MessageRepair } from './message-repair.ts';

/** The `max_tokens` of requests without one, in addition to the budget for thinking. The vendor requires a limit. */
const DEFAULT_MAX_TOKENS = 32_000;

/** The request in the form of an address: its path below the base URL, and its body. */
interface Addressed {
  path: string;
  body: Fields;
}

/** Returns the form that a server expects. */
export type AddressMessages = (request: TextRequest, isStream: boolean) => Addressed;

const toAnthropic: AddressMessages = (body) => ({ path: 'messages', body });

/**
 * Sends `POST /v1/messages`. Written from Anthropic's published SDK (`@anthropic-ai/sdk` 1.12.0,
 * `resources/messages/messages.d.ts`) and platform.claude.com/docs/en/api/{messages,errors}, read 2026-11-21. Requests
 * are passed on unchanged, except for `stream`, for an absent `max_tokens`, for `betas`, which is a header, and for
 * parts that the vendor rejects (`acceptable-request.ts`, `foreign-thoughts.ts`,
 * `tool-schemas.ts`, `registered-media.ts`). `address` returns the form that a cloud with Anthropic's models expects.
 */
export function createMessagesAdapter(
  connect: (headers: Record<string, string>) => TextHttp,
  address = toAnthropic,
): DialectAdapter {
  const plain = connect({});
  const httpFor = ({ betas }: TextRequest): TextHttp =>
    Array.isArray(betas) && betas.length > 0 ? connect({ 'anthropic-beta': betas.join(',') }) : plain;
  return {
    defaultMaxTokens: DEFAULT_MAX_TOKENS,
    async create(request, context) {
      const { stream: _, ...sent } = bodyOf(request, context);
      const { path, body } = address(sent as TextRequest, false);
      return httpFor(request).post(path, body, context, {
        read: (bytes, secrets) => readMessage(JSON.parse(bytes.toString('utf8')), secrets, noteOf(context)),
      });
    },
    stream(request, context) {
      const { path, body } = address({ ...bodyOf(request, context), stream: true }, true);
      return httpFor(request).stream(path, body, context, createMessagesReader(noteOf(context)));
    },
  };
}

/** Returns the request without the parts that Anthropic's models refuse. */
export function withoutRefusedParts(request: TextRequest, context: LiveCallContext): TextRequest {
  const sent = adaptThoughts(request, context, withoutUnsignedThoughts);
  return toAcceptable(withRegisteredMedia(withMessagesSchemas(sent)));
}

function bodyOf(request: TextRequest, context: LiveCallContext): TextRequest {
  const { betas: _, ...body } = withoutRefusedParts(request, context);
  return { ...body, max_tokens: body['max_tokens'] ?? defaultMaxTokens(body['thinking'], context) };
}

/**
 * Returns the default `max_tokens`. The vendor rejects a limit above the endpoint's own, and one that does not exceed
 * the thinking budget.
 */
function defaultMaxTokens(thinking: unknown, { maxOutputTokens = Infinity }: LiveCallContext): number {
  const isBudgeted = typeof thinking === 'object' && thinking !== null && 'budget_tokens' in thinking;
  const budget = isBudgeted && typeof thinking.budget_tokens === 'number' ? thinking.budget_tokens : 0;
  return Math.min(DEFAULT_MAX_TOKENS + budget, maxOutputTokens);
}

/**
 * Reads the events of one stream, including pings. `message_stop` is the end. Without it, a stream is complete if the
 * model gave a stop reason.
 */
function createMessagesReader(note: NoteRepair): EventReader<DialectEvent> {
  const repair = new MessageRepair(note);
  let hasStopped = false;
  return {
    read({ data }, secrets) {
      const event = readEvent(JSON.parse(data), secrets, repair, note);
      for (const holder of [event, event['message'], event['delta']])
        if (isFields(holder)) dropLongFacts(data.length, holder, ['id', 'usage', 'stop_reason']);
      if (event.type === 'message_stop') return 'end';
      if (event.type === 'message_delta')
        hasStopped ||= typeof (event['delta'] as { stop_reason?: unknown }).stop_reason === 'string';
      return event;
    },
    readBody: (text, secrets) => errorOfBody(text, secrets, errorOf),
    rest() {
      const reason = repair.missingReason();
      if (reason === undefined) return undefined;
      return { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: {} };
    },
    isWhole: () => hasStopped,
  };
}
