/** Translates the candidates of Gemini's answers, whole or in pieces, to the choices of a chat. */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Fields, fieldsIn, isFields, textOf } from '../../domain/fields.ts';
import { malformedAnswer } from '../answer-checks.ts';
import type { ChatChunk } from '../chat-adapter.ts';
import { isCount } from '../counts.ts';
import { refusedContent } from '../refused-content.ts';
import type { NoteRepair } from '../repairs.ts';
import { candidateParts, promptBlockOf, refusesContent } from './generate-content.ts';
import { signatureDetail, thoughtDetail } from './thoughts.ts';
import { usageToChat } from './usage.ts';

/** Counts what the earlier pieces of one candidate contained. */
interface Progress {
  calls: number;
  details: number;
  images: number;
  hasContent: boolean;
  /** The reason of the end, by OpenAI's name; undefined before it. */
  finish?: string;
}

type Delta = ChatChunk['choices'][number]['delta'];

/** Translates the pieces of one answer. A whole answer is one piece. */
export class CandidateTranslator {
  readonly #progress = new Map<number, Progress>();
  readonly #note: NoteRepair;
  /** The tier that served the request, as the headers of the answer state it. */
  #tier: unknown;

  constructor(note: NoteRepair) {
    this.#note = note;
  }

  /**
   * Reads the headers of the answer. The Gemini API names the served tier there. It is the standard one if Google had
   * no room in the requested one (LiteLLM 1.110.2, `vertex_and_google_ai_studio_gemini.py`, read 2026-11-28).
   */
  begin(headers: IncomingHttpHeaders): void {
    this.#tier = headers['x-gemini-service-tier'];
  }

  /** True after every candidate has finished. */
  get isWhole(): boolean {
    return (
      this.#progress.size > 0 && [...this.#progress.values()].every(({ finish }) => finish !== undefined)
    );
  }

  /** True if no candidate has content or a reason that explains why it has none. */
  get isEmpty(): boolean {
    return [...this.#progress.values()].every(isEmptyEnd);
  }

  /** Returns the chunk for a piece. Throws ProviderError for a prompt that Google refuses. */
  translate(piece: Fields): ChatChunk {
    const candidates = fieldsIn(piece['candidates']);
    const { usageMetadata, responseId, modelVersion } = piece;
    const reason = promptBlockOf(piece);
    if (candidates.length === 0 && reason !== '') throw refusedContent(reason);
    const choices = candidates.map((candidate, position) => this.#choice(candidate, position));
    const counted = isFields(usageMetadata) ? usageMetadata : {};
    const usage = isFields(usageMetadata) ? usageToChat(usageMetadata, this.#note) : undefined;
    return {
      ...(typeof responseId === 'string' && { id: responseId }),
      ...(typeof modelVersion === 'string' && { model: modelVersion }),
      choices,
      ...(usage && { usage }),
      ...tierOf(counted['serviceTier'], counted['trafficType'], this.#tier),
    };
  }

  #choice(candidate: Fields, position: number): ChatChunk['choices'][number] {
    const index = isCount(candidate['index']) ? candidate['index'] : position;
    const progress = this.#progress.get(index) ?? { calls: 0, details: 0, images: 0, hasContent: false };
    this.#progress.set(index, progress);
    const { finishReason } = candidate;
    const delta: Delta = {};
    for (const part of candidateParts(candidate)) addPart(delta, part, progress);
    const isEnd = typeof finishReason === 'string' && finishReason !== 'FINISH_REASON_UNSPECIFIED';
    if (!isEnd) return { index, delta, finish_reason: null };
    const reason = reasonOf(finishReason);
    progress.finish = progress.calls > 0 && reason === 'stop' ? 'tool_calls' : reason;
    return { index, delta, finish_reason: progress.finish, native_finish_reason: finishReason };
  }
}

/** Adds one part to the delta of its candidate. */
function addPart(delta: Delta, part: Fields, progress: Progress): void {
  const { text, thought, functionCall, inlineData, thoughtSignature: signature } = part;
  let callId: string | undefined;
  if (typeof text === 'string') {
    const name = thought === true ? 'reasoning' : 'content';
    delta[name] = textOf(delta[name]) + text;
    if (thought === true && text !== '') addDetail(delta, thoughtDetail(text, progress.details++));
  }
  if (isFields(functionCall)) {
    const { id, name, args } = functionCall;
    if (typeof name !== 'string' || name === '') throw malformedAnswer('a call without a name');
    callId = textOf(id) || `call_${randomUUID().replaceAll('-', '')}`;
    const described = { name, arguments: JSON.stringify(isFields(args) ? args : {}) };
    const call = { index: progress.calls++, id: callId, type: 'function', function: described };
    (delta.tool_calls ??= []).push(call);
  }
  if (isFields(inlineData) && thought !== true) {
    const url = `data:${textOf(inlineData['mimeType'])};base64,${textOf(inlineData['data'])}`;
    const images = (delta['images'] ??= []) as object[];
    images.push({ type: 'image_url', image_url: { url }, index: progress.images++ });
  }
  progress.hasContent ||= ['content', 'reasoning', 'tool_calls', 'images'].some((name) => name in delta);
  if (typeof signature === 'string' && signature !== '') {
    addDetail(delta, signatureDetail(signature, progress.details++, callId));
  }
}

function addDetail(delta: Delta, detail: Fields): void {
  ((delta['reasoning_details'] ??= []) as object[]).push(detail);
}

/** Reasons that are not refusals, by OpenAI's names. Unknown ones count as `stop`. */
const REASONS: Record<string, string> = {
  MAX_TOKENS: 'length',
  MALFORMED_FUNCTION_CALL: 'error',
  MALFORMED_RESPONSE: 'error',
  MISSING_THOUGHT_SIGNATURE: 'error',
  TOO_MANY_TOOL_CALLS: 'error',
  UNEXPECTED_TOOL_CALL: 'error',
};
function reasonOf(reason: string): string {
  return REASONS[reason] ?? (refusesContent(reason) ? 'content_filter' : 'stop');
}

function isEmptyEnd({ hasContent, finish }: Progress): boolean {
  return !hasContent && (finish === undefined || finish === 'stop' || finish === 'error');
}

/** Returns the tier that served the request; the first of these names that is a known one. */
function tierOf(...names: unknown[]): { service_tier?: string } {
  const [tier] = names.flatMap((name) => /FLEX|PRIORITY|STANDARD|ON_DEMAND$/i.exec(textOf(name)) ?? []);
  if (tier === undefined) return {};
  return { service_tier: /^(FLEX|PRIORITY)$/i.test(tier) ? tier.toLowerCase() : 'default' };
}
