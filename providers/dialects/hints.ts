/** Sends requests without the hints that an endpoint cannot take, and notes which ones these are. */
import { HINTS } from '../../domain/hints.ts';
import { refusedFields } from '../../domain/refused-fields.ts';
import type { LiveCallContext } from '../call-context.ts';
import type { TextRequest } from '../chat-adapter.ts';
import { hasContent } from '../../domain/unsupported-fields.ts';

type Hint = (typeof HINTS)[number];

/** The hints for which Anthropic's dialect has no field. */
export const NOT_IN_MESSAGES: readonly Hint[] = HINTS.filter((name) => name !== 'metadata');

/** The hints for which OpenAI's responses have no field. */
export const NOT_IN_RESPONSES: readonly Hint[] = ['seed', 'prediction'];

/**
 * Returns the request without these hints, and adds their names to the context. Returns the request unchanged if the
 * caller requires every parameter.
 */
export function withoutHints(
  request: TextRequest,
  { droppedFields }: LiveCallContext,
  names: Iterable<Hint>,
): TextRequest {
  if (droppedFields === undefined) return request;
  let kept: TextRequest | undefined;
  for (const name of names) {
    if (request[name] === undefined) continue;
    if (hasContent(request[name])) droppedFields.push(name);
    kept ??= { ...request };
    delete kept[name];
  }
  return kept ?? request;
}

/** Sends a request by `send`, without the hints that the endpoint cannot take. */
export type HintFilter = <Answer>(
  request: TextRequest,
  context: LiveCallContext,
  send: (request: TextRequest) => Promise<Answer>,
) => Promise<Answer>;

/**
 * Creates the filter of one adapter. It drops the hints of `unknown`, for which the dialect has no field. When an
 * endpoint refuses a hint, the filter sends the request again without it. Later requests to the same model are sent
 * without that hint.
 */
export function createHintFilter(unknown: readonly Hint[] = []): HintFilter {
  const refused = new Map<string, Set<Hint>>();
  const remember = (model: string, names: readonly Hint[]): void => {
    const known = refused.get(model) ?? new Set();
    for (const name of names) known.add(name);
    refused.set(model, known);
  };
  return (request, context, send) => {
    const isPlain = context.droppedFields === undefined || HINTS.every((name) => request[name] === undefined);
    if (isPlain) return send(request);
    const first = withoutHints(request, context, [...unknown, ...(refused.get(request.model) ?? [])]);
    return sendWithFewerHints(first, context, send, (names) => remember(request.model, names));
  };
}

/** Sends a request until it is not refused for a hint. Each repetition has fewer hints than the one before. */
async function sendWithFewerHints<Answer>(
  request: TextRequest,
  context: LiveCallContext,
  send: (request: TextRequest) => Promise<Answer>,
  remember: (names: readonly Hint[]) => void,
): Promise<Answer> {
  let sent = request;
  const removed: Hint[] = [];
  for (;;) {
    try {
      const answer = await send(sent);
      // Remember the hints only after a success. Otherwise something else may have been the reason of the refusals.
      if (removed.length > 0) remember(removed);
      return answer;
    } catch (error) {
      const named = refusedFields(
        error,
        HINTS.filter((name) => sent[name] !== undefined),
      );
      if (named.length === 0) throw error;
      removed.push(...named);
      sent = withoutHints(sent, context, named);
    }
  }
}
