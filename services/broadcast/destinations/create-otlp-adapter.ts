/** Builds the adapter for any observability tool that accepts OTLP over HTTP. */
import { deliver } from './create-http-adapter.ts';
import type { ConfigWithHeaders, ClassifyAnswer } from './create-http-adapter.ts';
import { DEFAULT_LIMITS } from './destination-adapter.ts';
import type {
  Batch,
  DestinationAdapter,
  EncodeOptions,
  NameSet,
  SendDeps,
  TraceFormat,
} from './destination-adapter.ts';
import type { ToolRequest } from './exchange.ts';
import { classifyStatus, pause } from './classify-answer.ts';
import { rejectedSpans } from './rejected-spans.ts';

const CONTENT_TYPES = { json: 'application/json', protobuf: 'application/x-protobuf' } as const;

/** The form of OTLP that one tool requires. */
export interface OtlpType<Config> {
  format: TraceFormat;
  /** The format of a second request after the answer 415. */
  fallbackFormat?: TraceFormat;
  gzip: boolean;
  /** The largest body; 4 MiB when absent. */
  maxBytes?: number;
  /** The longest attribute text that the tool takes. */
  maxValueLength?: number;
  names: readonly NameSet[];
  url(config: Config): string;
  method?(config: Config): 'POST' | 'PUT';
  headers(config: Config): Record<string, string>;
  /** Returns attributes of the resource in addition to the service's name. */
  resource?(config: Config): Record<string, string>;
  /** The reasons for pausing a destination, by the tool's status. */
  pauses?: Record<number, string>;
}

export function createOtlpAdapter<Config extends ConfigWithHeaders>(
  type: OtlpType<Config>,
): DestinationAdapter<Config> {
  const limits = { ...DEFAULT_LIMITS, bytes: type.maxBytes ?? DEFAULT_LIMITS.bytes };
  const classify = createOtlpClassifier(type.pauses);
  const { names, maxValueLength } = type;
  const otlp = maxValueLength === undefined ? { names } : { names, maxValueLength };
  return {
    limits,
    otlp,
    async send(batch, config, deps, signal) {
      const sendAs = (format: TraceFormat) => {
        const request = otlpRequest(type, batch, config, deps, { ...otlp, format });
        return deliver({ config, request, limits, classify }, deps, signal);
      };
      const outcome = await sendAs(type.format);
      if (outcome.status !== 415 || type.fallbackFormat === undefined) return outcome;
      return sendAs(type.fallbackFormat);
    },
  };
}

function otlpRequest<Config>(
  type: OtlpType<Config>,
  { spans }: Batch,
  config: Config,
  { encoder }: SendDeps,
  options: Omit<EncodeOptions, 'resource'>,
): ToolRequest {
  return {
    url: type.url(config),
    method: type.method?.(config) ?? 'POST',
    headers: { ...type.headers(config), 'content-type': CONTENT_TYPES[options.format] },
    body: encoder.encodeSpans(spans, {
      ...options,
      resource: { 'service.name': 'sluice', ...type.resource?.(config) },
    }),
    gzip: type.gzip,
  };
}

/**
 * Creates a function that classifies an answer. It counts the spans which the receiver dropped, and explains a pause in
 * the tool's own terms.
 */
export function createOtlpClassifier(pauses: Record<number, string> = {}): ClassifyAnswer {
  return (answer, nowMs) => {
    const reason = pauses[answer.status];
    if (reason !== undefined) return pause(reason, answer.status);
    const answerClass = classifyStatus(answer, nowMs);
    return answerClass.kind === 'delivered'
      ? { ...answerClass, rejected: rejectedSpans(answer) }
      : answerClass;
  };
}
