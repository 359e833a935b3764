import { AppError } from '../../../domain/errors.ts';
import { ProviderError } from '../../../domain/provider-error.ts';
import type { ChatChunk } from '../../../providers/chat-adapter.ts';
import { toCallerError } from '../../routing/provider-failure.ts';
import type { BegunChat } from './begun-chat.ts';
import type { BodyDraft } from '../body-draft.ts';
import { type ChatMeter, createChatMeter } from './chat-meter.ts';
import { type ChatSource, createSettlement } from './chat-settlement.ts';
import { createChunkWriter, event, type Stamp } from './chunk-writer.ts';
import { EventStream, type Pieces } from '../event-stream.ts';
import type { LiveDeps } from '../live-deps.ts';
import { showUsage } from '../token-usage.ts';

const DONE = 'data: [DONE]\n\n';

/**
 * The caller's stream: every chunk under the generation's id, then, once the generation is in the ledger, one with
 * the usage. What arrived together is sent together. A failure in mid-stream is the last event; what was used is
 * billed. A caller who leaves ends the upstream's stream, and what was sent is billed.
 */
export function streamChat(deps: LiveDeps, begun: BegunChat, source: ChatSource): EventStream {
  return new EventStream(eventsOf(deps, begun, source));
}

async function* eventsOf(deps: LiveDeps, begun: BegunChat, source: ChatSource): Pieces {
  const stamp = stampOf(deps, begun, source);
  const meter = createChatMeter();
  const settlement = createSettlement(deps, begun, source, meter);
  try {
    const failure = yield* passOn(source.answer, meter, begun.open.draft, stamp);
    const { usage, cost } = await settlement.end(failure);
    const failed = failure === undefined ? '' : errorEvent(deps, stamp, failure);
    return failed + event({ ...stamp, choices: [], usage: showUsage(usage, cost, meter.counted) }) + DONE;
  } catch (error) {
    // The ledger did not take it, or worse: the caller must not believe that the answer is whole.
    const { requestId } = begun.open.call.client;
    deps.logger.error({ err: error, requestId }, 'a stream could not be ended');
    const told = error instanceof AppError ? error : new AppError('internal');
    return errorEvent(deps, stamp, told) + DONE;
  } finally {
    // Only where the caller left in the middle it has not ended yet.
    await settlement.abandon();
  }
}

/** All chunks, as they come. Resolves with what cut them off, if anything did. */
async function* passOn(
  chunks: AsyncIterable<ChatChunk[]>,
  meter: ChatMeter,
  draft: BodyDraft | null,
  stamp: Stamp,
): AsyncGenerator<string, AppError | undefined> {
  const chunkEvent = createChunkWriter(stamp);
  try {
    for await (const arrived of chunks) {
      let text = '';
      for (const chunk of arrived) {
        meter.see(chunk);
        draft?.see(chunk);
        text += chunkEvent(chunk);
      }
      if (text !== '') yield text;
    }
    return undefined;
  } catch (error) {
    return error instanceof ProviderError ? toCallerError(error) : new AppError('internal', { cause: error });
  }
}

function stampOf({ catalog }: LiveDeps, { open }: BegunChat, { target }: ChatSource): Stamp {
  return {
    id: open.id,
    object: 'chat.completion.chunk',
    created: Math.floor(open.startedAtMs / 1_000),
    model: target.model.id,
    provider: catalog.providerName(target.endpoint.providerSlug),
  };
}

function errorEvent({ showError }: LiveDeps, stamp: Stamp, error: AppError): string {
  const choices = [{ index: 0, delta: { content: '' }, finish_reason: 'error' }];
  return event({ ...stamp, choices, error: showError(error) });
}
