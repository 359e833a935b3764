/** Builds the whole and the streamed operation of a text dialect, such as chat, messages or responses. */
import type { Target } from '../../../domain/routing/routing.ts';
import type { LiveCallContext } from '../../../providers/call-context.ts';
import type { EventStream, Piece } from '../../../platform/event-stream.ts';
import type { ReadyJson } from '../../../platform/ready-json.ts';
import type { OpenGeneration } from '../generation.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import type { PromptFacts } from '../prompt/prompt-facts.ts';
import type { RoutableBody } from '../../routing/routable-body.ts';
import { billPrompt } from './abandoned.ts';
import { CALLERS_FAILURES_OF_TEXT } from './callers-failures.ts';
import { completeByPreset, type MergePreset } from './complete-by-preset.ts';
import type {
  Answered,
  EarlyFailure,
  LiveOperation,
  LiveRequest,
  LiveStream,
  WholeAnswer,
} from './live-operation.ts';
import { type OutcomeFacts, runLive } from './run-live.ts';
import { serializedIfLarge } from './serialized-if-large.ts';

/** The parts of a text request that are equal for whole and streamed answers. */
export type ReadText = Pick<
  LiveRequest<never, never>,
  | 'routable'
  | 'check'
  | 'issuesAt'
  | 'costAt'
  | 'highestPricesAt'
  | 'droppedTools'
  | 'searched'
  | 'urls'
  | 'estimateAt'
> & {
  opening: Omit<LiveRequest<never, never>['opening'], 'streamed'>;
  /** Reads the prompt as it is sent to the target. */
  promptAt(target: Target): PromptFacts;
};

/** A dialect of chat: it reads requests, sends them upstream, and presents whole and streamed answers. */
export interface TextDialect<Body, Read extends ReadText, Whole, Part, Shown = Whole> {
  mergePreset: MergePreset<Body>;
  read(call: LiveCall<Body>, original: LiveCall<Body>): Read;
  /**
   * Sends the request to the target, under the same rules as `ask` of a LiveRequest. `askStream` does the same for
   * streams.
   */
  askWhole(
    read: Read,
    target: Target,
    context: LiveCallContext,
    outputLimit?: number,
  ): Promise<Whole> | undefined;
  askStream(
    read: Read,
    target: Target,
    context: LiveCallContext,
    outputLimit?: number,
  ): Promise<AsyncIterable<Part[]>> | undefined;
  end(open: OpenGeneration, read: Read, answered: Answered<Whole>): WholeAnswer<Shown>;
  stream(open: OpenGeneration, read: Read, answered: Answered<AsyncIterable<Part[]>>): LiveStream;
  /** Presents the whole stream of a request that failed after its headers were sent. */
  failed(open: OpenGeneration, read: Read, failure: EarlyFailure): Piece;
}

export interface TextService<Body, Shown> {
  /** Resolves with the whole answer once its row is in the ledger. */
  create(call: LiveCall<Body>): Promise<OutcomeFacts & { answer: Shown | ReadyJson }>;
  /**
   * Resolves with server-sent events when the first ones arrive, or earlier, when the headers must not wait longer. The
   * stream ends by itself in every case, and its generation is in the ledger before its last event.
   */
  stream(call: LiveCall<Body>): Promise<OutcomeFacts & { events: EventStream }>;
}

/** Creates the service of a dialect: one live operation for whole answers and one for streams. */
export function createTextService<Body extends RoutableBody, Read extends ReadText, Whole, Part, Shown>(
  deps: LiveDeps,
  dialect: TextDialect<Body, Read, Whole, Part, Shown>,
): TextService<Body, Shown> {
  const [whole, streamed] = [wholeOperation(deps, dialect), streamOperation(deps, dialect)];
  return {
    async create(call) {
      const { result: answer, ...facts } = await runLive(deps, whole, call);
      return { ...facts, answer };
    },
    async stream(call) {
      const { result: events, ...facts } = await runLive(deps, streamed, call);
      return { ...facts, events };
    },
  };
}

function wholeOperation<Body extends RoutableBody, Read extends ReadText, Whole, Part, Shown>(
  deps: LiveDeps,
  dialect: TextDialect<Body, Read, Whole, Part, Shown>,
): LiveOperation<Body, Whole, Shown | ReadyJson> {
  return {
    ...sharedOf(deps, dialect),
    read(call, original) {
      const read = dialect.read(call, original);
      return {
        ...requestOf(read, false),
        ask: (target, context, limit) => dialect.askWhole(read, target, context, limit),
        answered: (answered, open) => serializedIfLarge(dialect.end(open, read, answered), call),
      };
    },
  };
}

function streamOperation<Body extends RoutableBody, Read extends ReadText, Whole, Part, Shown>(
  deps: LiveDeps,
  dialect: TextDialect<Body, Read, Whole, Part, Shown>,
): LiveOperation<Body, AsyncIterable<Part[]>, EventStream> {
  return {
    ...sharedOf(deps, dialect),
    read(call, original) {
      const read = dialect.read(call, original);
      return {
        ...requestOf(read, true),
        ask: (target, context, limit) => dialect.askStream(read, target, context, limit),
        answered: (answered, open) => ({
          stream: dialect.stream(open, read, answered),
          show: showEvents,
        }),
        early: { show: showEvents, failed: (failure, open) => dialect.failed(open, read, failure) },
      };
    },
  };
}

function showEvents(events: EventStream): EventStream {
  return events;
}

function sharedOf<Body extends RoutableBody, Read extends ReadText, Whole, Part, Shown>(
  deps: LiveDeps,
  { mergePreset }: TextDialect<Body, Read, Whole, Part, Shown>,
) {
  return {
    capability: 'chat',
    apiType: 'completions',
    callersFailures: CALLERS_FAILURES_OF_TEXT,
    withPreset: (call: LiveCall<Body>) => completeByPreset(deps, call, mergePreset),
  } as const;
}

function requestOf(read: ReadText, streamed: boolean) {
  return {
    ...read,
    abandonedAt: (target: Target) => billPrompt(target, read.promptAt(target)),
    opening: { ...read.opening, streamed },
  };
}
