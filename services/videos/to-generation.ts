/** Converts an ended video job to its ledger row. */
import type { RunningJob } from '../../db/videos/running-job.ts';
import type { Submission } from '../../db/videos/submission-store.ts';
import type { Meter, VendorReport } from '../../domain/catalog/video-meters.ts';
import type { Bill, BillFlag } from '../../domain/ledger/bill.ts';
import type { BillingFlag } from '../../domain/videos/billing-flag.ts';
import { costOfReport, type VideoTerms } from '../../domain/videos/video-price.ts';
import type { BroadcastFacts } from '../../domain/ledger/broadcast-facts.ts';
import { trackingStringOf } from '../../domain/accounts/end-user.ts';
import type { GenerationRecord } from '../../domain/ledger/generation.ts';
import { JOB_FAILURE_MESSAGES, type TerminalEnd } from '../../domain/videos/job.ts';
import { appOf } from '../live/app-of.ts';

export interface EndedGeneration {
  job: RunningJob;
  end: TerminalEnd;
  /** The number of files that the customer got. */
  outputs: number;
  endedAt: Date;
  submissions: Submission[];
  /** The submission that the provider accepted, if any. */
  accepted: Submission | undefined;
  /** The reason why an operator should look at the bill. */
  billingFlag: BillingFlag | null;
}

/**
 * The largest duration that the column can hold, about 24 days. A job that is found even later must still be settled.
 */
const MAX_MS = 2 ** 31 - 1;

/** Returns an ended job as a row of the ledger. */
export function toGeneration(ended: EndedGeneration): GenerationRecord {
  const { job, end, outputs, endedAt, submissions, accepted } = ended;
  const { requestFacts: facts, client } = job;
  return {
    id: job.generationId,
    settledAt: endedAt,
    organizationId: job.organizationId,
    workspaceId: job.workspaceId,
    keyId: job.keyId,
    model: job.model,
    provider: job.provider,
    apiType: 'video',
    status: end.status,
    finishReason: null,
    costNanos: job.costNanos ?? 0n,
    upstreamCostNanos: job.upstreamCostNanos,
    isByok: job.isByok,
    streamed: false,
    dataRegion: 'global',
    country: client.country ?? null,
    app: appOf(client),
    sessionId: facts.sessionId ?? null,
    userId: job.userId,
    externalUser: trackingStringOf(facts.user),
    presetId: null,
    usage: null,
    mediaPrompt: facts.mediaCount,
    mediaCompletion: outputs,
    toolCalls: 0,
    inputModalities: facts.inputModalities,
    outputModalities: outputs > 0 ? ['video'] : [],
    // Minutes of a video job must not mix with the milliseconds of chat. `generationMs` has the duration.
    latencyMs: null,
    generationMs:
      job.submittedAt === null ? null : Math.min(endedAt.getTime() - job.submittedAt.getTime(), MAX_MS),
    sample: null,
    details: {
      upstreamId: idOf(accepted?.operation),
      nativeFinishReason: null,
      serviceTier: null,
      bill: billOf(ended),
      httpReferer: client.referer ?? null,
      appTitle: client.title ?? null,
      userAgent: client.userAgent ?? null,
      requestId: client.requestId,
      providerResponses: submissions.map(({ n, provider, state }) => ({ n, provider, state })),
    },
    broadcast: factsOf(ended),
  };
}

/**
 * Returns the bill of a job that is completed or cancelled. Other jobs cost nothing. A cancelled job costs as much as a
 * completed one by the prices, or what its provider charged, or nothing.
 */
function billOf({ job, end, accepted, billingFlag }: EndedGeneration): Bill | undefined {
  const { requestFacts: facts, terms, priceNanos } = job;
  const costNanos = job.costNanos ?? 0n;
  const report = accepted?.report ?? {};
  const ofEndpoint = accepted && terms?.[accepted.endpointId];
  if (end.status !== 'cancelled' && end.status !== 'completed') return undefined;
  // A completed job costs what the prices say. If it does not, its bill shows that.
  const expected = ofEndpoint === undefined ? priceNanos : costOfReport(ofEndpoint, report);
  const isPriced = end.status === 'completed' || costNanos === expected;
  const { resolution, durationSeconds, generateAudio } = facts.shaped;
  const units = Object.entries(isPriced ? (ofEndpoint?.meters ?? {}) : {}).map(([meter, { usual }]) => [
    meter,
    report[meter as Meter] ?? usual,
  ]);
  const endpointId = ofEndpoint === undefined ? job.endpointIds[0] : accepted!.endpointId;
  return {
    prices: facts.priceVersions?.[endpointId!],
    flags: isPriced && lacksUnits(end, ofEndpoint, report) ? ['estimated'] : flagsOf(billingFlag),
    video: {
      resolution,
      durationSeconds,
      generateAudio,
      hasVideoInput: facts.hasVideoInput === true ? true : undefined,
      units: units.length === 0 ? undefined : (Object.fromEntries(units) as VendorReport),
      charged: isPriced ? undefined : `${costNanos}`,
    },
  };
}

/** Returns whether a cancelled job has units that its provider did not report. Such bills raise no alert. */
function lacksUnits({ status }: TerminalEnd, terms: VideoTerms | undefined, report: VendorReport): boolean {
  if (status !== 'cancelled') return false;
  return Object.keys(terms?.meters ?? {}).some((meter) => report[meter as Meter] === undefined);
}

function flagsOf(flag: BillingFlag | null): BillFlag[] | undefined {
  // A completed job is never one without a video.
  if (flag === null || flag === 'billed_without_video') return undefined;
  return flag === 'not_reported' ? ['estimated'] : [flag];
}

function factsOf({ job, end }: EndedGeneration): BroadcastFacts {
  const { trace } = job.requestFacts;
  const costNanos = job.costNanos ?? 0n;
  return {
    requestModel: job.model,
    costs: costNanos > 0n ? { media: `${costNanos}` } : undefined,
    trace: trace as BroadcastFacts['trace'],
    error:
      end.status === 'completed' || end.status === 'cancelled'
        ? undefined
        : { code: end.code, message: JOB_FAILURE_MESSAGES[end.code] },
  };
}

/** Returns the vendor's id of the job, which the vendor's support needs. Most vendors call it `id`. */
function idOf(operation: { [key: string]: unknown } | null | undefined): string | null {
  const id = operation?.['id'];
  return typeof id === 'string' ? id : null;
}
