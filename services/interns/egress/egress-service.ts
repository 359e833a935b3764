import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../../domain/errors.ts';
import type { Principal } from '../../../domain/principal.ts';
import type { OutboundGuard } from '../../../platform/outbound-guard.ts';
import type { InternMemory } from '../intern-memory.ts';
import { visibleIntern } from '../visible-intern.ts';
import type { VaultMemory } from '../vault/vault-memory.ts';
import type { EgressLog } from './egress-log.ts';
import { fillHeaders, templatesOf } from './filled-headers.ts';
import { createMasks } from './mask/masks.ts';
import { headersToHost, refuseOwnKey } from './passed-headers.ts';
import { namesOf, placeholdersOf } from './placeholders.ts';
import { type EgressAnswer, refuseHost, send } from './send.ts';
import { resolveSecrets } from './resolve-secrets.ts';
import { parseTarget, type TargetParts } from './target.ts';

export interface EgressRequest extends TargetParts {
  principal: Principal;
  internId: string;
  method: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Aborted when the intern hangs up. */
  gone: AbortSignal;
}

export interface EgressService {
  /**
   * Sends a request to a host with the values of the intern's secrets in the place of placeholders, and returns the answer with
   * placeholders in the place of values. The answer's body is still coming.
   */
  send(request: EgressRequest): Promise<EgressAnswer>;
}

export interface EgressDeps {
  interns: Pick<InternMemory, 'find'>;
  vaults: Pick<VaultMemory, 'vaultsOf' | 'valueOf'>;
  log: Pick<EgressLog, 'begin' | 'end'>;
  guard: Pick<OutboundGuard, 'checkUrl' | 'open'>;
  /** How long a host may take for all of its answer; five minutes when absent. */
  timeoutMs?: number;
}

export function createEgressService(deps: EgressDeps): EgressService {
  const masks = createMasks(deps.vaults);
  return {
    async send(request) {
      const { principal, internId, method, body, gone } = request;
      const intern = await visibleIntern(deps.interns.find, principal, internId);
      if (principal.kind !== 'intern') throw new AppError('intern_key_required');
      const target = parseTarget(request);
      const headers = headersToHost(request.headers);
      refuseOwnKey(headers, request.headers);
      const templates = templatesOf(headers);
      const names = namesOf(templates);
      const secrets = await resolveSecrets(deps.vaults, intern, names, target.host);
      const filled = fillHeaders(headers, templates, secrets.used);
      refuseHost(deps.guard, target.url);
      const mask = await masks.of(placeholdersOf(templates), secrets);
      const id = await deps.log.begin({
        internId: intern.id,
        keyHash: principal.keyHash,
        method,
        host: target.shownHost,
        names,
      });
      const end = (status: number | null, bytes: number): void =>
        deps.log.end({ internId: intern.id, id, status, bytes });
      const { guard, timeoutMs } = deps;
      return send({ guard, url: target.url, method, headers: filled, body, mask, gone, timeoutMs, end });
    },
  };
}
