/** Lets interns call outside hosts with secrets that they never see. */
import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../../domain/errors.ts';
import { HOPS_HEADER } from '../../../domain/hops.ts';
import type { KnownIntern } from '../../../domain/interns/intern.ts';
import type { Caller } from '../../../domain/principal.ts';
import type { AnswerInFlight } from '../../../platform/answers-in-flight.ts';
import type { OutboundGuard } from '../../../platform/outbound-guard.ts';
import type { InternMemory } from '../intern-memory.ts';
import { visibleIntern } from '../visible-intern.ts';
import type { VaultMemory } from '../vault/vault-memory.ts';
import type { EgressLog } from './egress-log.ts';
import { fillHeaders, templatesOf } from './filled-headers.ts';
import { createMasks } from './mask/masks.ts';
import { headersToHost, refuseOwnKey } from './passed-headers.ts';
import { namesOf } from './placeholders.ts';
import { createRequestsInFlight } from './requests-in-flight.ts';
import { checkHost, type EgressAnswer, send, type Sending } from './send.ts';
import { resolveSecrets } from './resolve-secrets.ts';
import { parseTarget, type TargetParts } from './target.ts';

export interface EgressRequest extends Caller, TargetParts {
  internId: string;
  method: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The memory of the answer. */
  memory: AnswerInFlight;
  /** Aborts when the intern disconnects. */
  gone: AbortSignal;
}

/** A request that may be sent. */
interface PreparedRequest extends Pick<Sending, 'url' | 'pathAndQuery' | 'headers' | 'mask'> {
  shownHost: string;
  /** The names of the secrets that it uses. */
  names: string[];
}

export interface EgressDeps {
  interns: Pick<InternMemory, 'find'>;
  vaults: Pick<VaultMemory, 'vaultsOf' | 'valueOf'>;
  log: Pick<EgressLog, 'begin' | 'end'>;
  guard: Pick<OutboundGuard, 'checkedUrl' | 'open'>;
  /** The header in which a proxy names the caller's country, in lower case; undefined when there is none. */
  countryHeader: string | undefined;
  /** The longest time until the last byte of a host's answer; five minutes when absent. */
  timeoutMs?: number;
}

/** Creates the service that sends requests for interns. */
export function createEgressService(deps: EgressDeps) {
  const masks = createMasks(deps.vaults);
  const requestsInFlight = createRequestsInFlight();

  async function prepare(request: EgressRequest, intern: KnownIntern): Promise<PreparedRequest> {
    const { url, pathAndQuery, host, shownHost } = parseTarget(request);
    const headers = headersToHost(request.headers, deps.countryHeader);
    refuseOwnKey(headers, request.headers);
    const templates = templatesOf(headers);
    const names = namesOf(templates.placeholders);
    const secrets = await resolveSecrets(deps.vaults, intern, names, host);
    const filled = fillHeaders(headers, templates, secrets.used);
    const checked = checkHost(deps.guard, url);
    const mask = await masks.of(templates.placeholders, secrets);
    const { hops } = request.client;
    const sent = hops === undefined ? filled : { ...filled, [HOPS_HEADER]: hops };
    return { url: checked, pathAndQuery, shownHost, names, headers: sent, mask };
  }

  return {
    /**
     * Sends a request to a host with secrets in place of the placeholders, and returns the answer with placeholders in
     * place of the secrets. The answer's body may still be arriving.
     */
    async send(request: EgressRequest): Promise<EgressAnswer> {
      const { principal, internId, method, body, memory, gone } = request;
      const intern = await visibleIntern(deps.interns.find, principal, internId);
      if (principal.kind !== 'intern') throw new AppError('intern_key_required');
      const leave = requestsInFlight.enter(intern.id);
      try {
        const { shownHost, names, ...prepared } = await prepare(request, intern);
        const id = await deps.log.begin({
          internId: intern.id,
          keyHash: principal.keyHash,
          method,
          host: shownHost,
          names,
        });
        const end = (status: number | null, bytes: number): void => {
          leave();
          deps.log.end({ internId: intern.id, id, status, bytes });
        };
        const { guard, timeoutMs } = deps;
        return await send({ guard, ...prepared, method, body, memory, gone, timeoutMs, end });
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}

export type EgressService = ReturnType<typeof createEgressService>;
