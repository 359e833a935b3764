/** Manages how a workspace receives webhooks: its signing secret, its callback URL, and replays. */
import { createAuditStore } from '../../../db/accounts/audit-store.ts';
import type { Handle } from '../../../db/postgres/connection.ts';
import type { ReplayRange } from '../../../db/webhooks/bulk-replay-store.ts';
import { createFailingCallbackStore } from '../../../db/webhooks/failing-callback-store.ts';
import { createWebhookSecretStore } from '../../../db/webhooks/webhook-secret-store.ts';
import { invalidRequest } from '../../../domain/errors.ts';
import type { Actor } from '../../../domain/principal.ts';
import type { Encryption } from '../../../platform/encryption.ts';
import { doOnce, type OnceAnswer, type OnceOptions } from '../../answer-once.ts';
import { replayDeliveries, type ReplayedDeliveries } from '../../webhooks/replay-deliveries.ts';
import { newSealedSecret } from '../../webhooks/sealed-secret.ts';
import { type SendDeps, sendEvent, type SendResult } from '../../webhooks/send-event.ts';
import { checkCallbackUrl } from './callback-url.ts';
import { findWorkspace, lockWorkspace } from './find-workspace.ts';

export interface WorkspaceWebhooksDeps extends SendDeps {
  knex: Handle;
  encryption: Pick<Encryption, 'seal' | 'open'>;
  /** Throws for a URL that will certainly be refused when it is called. */
  checkUrl(url: string): void;
}

export interface RotatedSecret {
  /** The new `whsec_…`, which only this answer and its replay show. */
  secret: string;
  /** The time until which the previous secret signs too; null when there was none. */
  previousExpiresAt: Date | null;
}

export interface TryOptions {
  /** The request's id, which becomes a part of the `webhook-id`. */
  requestId: string;
  /** The URL; when absent, the default callback URL of the workspace. */
  url?: string;
  /** Renders the exact body to send. */
  render(workspaceId: string): string;
}

export type TryResult = SendResult & { url: string };

/** The time in which receivers can switch to the new secret. */
const OVERLAP_MS = 24 * 3_600_000;
const ROTATION = 'rotateWebhookSecret';

export function createWorkspaceWebhooks(deps: WorkspaceWebhooksDeps) {
  const { knex, encryption } = deps;
  return {
    /**
     * Gives a workspace a new signing secret, and returns it to the caller once. The previous one also signs for
     * another day. Only the newest two sign, so a second rotation within the day retires the oldest at once, which
     * removes a leaked secret. Rotations of one workspace run one after another. Throws 404 for an unknown workspace.
     */
    async rotateSecret(
      actor: Actor,
      reference: string,
      once: OnceOptions<RotatedSecret>,
    ): Promise<OnceAnswer> {
      const { organizationId } = actor;
      const { id: workspaceId } = await findWorkspace(knex, organizationId, reference);
      const scope = { organizationId, workspaceId, operation: ROTATION };
      const make = async (transaction: Handle): Promise<RotatedSecret> => {
        // The lock makes rotations of a workspace run one after another.
        await lockWorkspace(transaction, organizationId, workspaceId);
        const { secret, ...sealed } = newSealedSecret(encryption);
        const secrets = createWebhookSecretStore(transaction);
        const previousExpiresAt = await secrets.rotate({ ...sealed, workspaceId }, OVERLAP_MS);
        const target = `workspaces/${workspaceId}`;
        await createAuditStore(transaction).insert(actor, { action: ROTATION, target });
        return { secret, previousExpiresAt };
      };
      return doOnce({ knex, encryption, scope, make }, once);
    },

    /** Sends ended deliveries again; see `replayDeliveries`. Throws 404 for an unknown workspace. */
    async replay(
      actor: Actor,
      reference: string,
      range: Omit<ReplayRange, 'workspaceId'>,
      once: OnceOptions<ReplayedDeliveries>,
    ): Promise<OnceAnswer> {
      const { id: workspaceId } = await findWorkspace(knex, actor.organizationId, reference);
      return replayDeliveries(knex, actor, { ...range, workspaceId }, once);
    },

    /**
     * Sends a test event to a callback URL once and returns the response. It records only that a URL works; the event
     * is neither in the outbox nor in the delivery log. Throws 404 for an unknown workspace, and 400 when there is no
     * URL or when it can never be called.
     */
    async tryCallback(
      organizationId: string,
      reference: string,
      { url: named, requestId, render }: TryOptions,
    ): Promise<TryResult> {
      checkCallbackUrl(deps.checkUrl, named, 'body.url');
      const { id, defaultCallbackUrl } = await findWorkspace(knex, organizationId, reference);
      const url = named ?? defaultCallbackUrl;
      if (url === null) {
        throw invalidRequest({
          path: 'body.url',
          message: 'is needed: the workspace has no default_callback_url',
        });
      }
      const secrets = await createWebhookSecretStore(knex).signing(id);
      const eventId = `${id}-test-${requestId}`;
      const result = await sendEvent(deps, { url, eventId, payload: render(id), secrets });
      if (result.outcome === 'delivered') await createFailingCallbackStore(knex).forget(id, url);
      return { ...result, url };
    },
  };
}

export type WorkspaceWebhooks = ReturnType<typeof createWorkspaceWebhooks>;
